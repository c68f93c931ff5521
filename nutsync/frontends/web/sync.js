// The state of sync: what waits, what is held and how to take it over, which devices were seen when.

import { announce, h, replace } from "./dom.js";
import * as api from "./api.js";
import { list, number, t, tOr } from "./words.js";
import { errorWords, failure, heading, loading } from "./parts.js";
import { changed } from "./state.js";

export function syncView(content) {
  const body = h("div", {}, loading());
  replace(content, heading(t("sync.title")), body);
  read(body);
}

async function read(body) {
  try {
    draw(body, await api.get("/sync"));
  } catch (error) {
    replace(body, failure(error, () => read(body)));
  }
}

function draw(body, state) {
  const told = h("div", { class: "progress", role: "status" });
  const button = h("button", { type: "button", class: "primary", disabled: !state.remote, on: { click: () => run(body, button, told) } }, t("sync.now"));
  replace(body, warnings(state), facts(state), h("div", { class: "actions" }, button), told,
    state.held !== undefined && held(state.held), state.devices !== undefined && devices(state));
}

function warnings(state) {
  const words = [
    !state.remote && t("sync.no_remote"),
    state.stale && t("sync.stale"),
    !state.armed && t("sync.not_armed"),
  ].filter(Boolean);
  return words.map((one) => h("p", { class: "warning" }, one));
}

function facts(state) {
  const last = state.last_sync
    ? `${state.last_sync.slice(0, 19).replace("T", " ")} · ${tOr(`result.${state.result}`, "op.other")}`
    : t("sync.never");
  const rows = [
    ["sync.last", last],
    state.waiting !== undefined && ["sync.waiting", state.waiting === 1
      ? t("sync.waiting_one") : t("sync.waiting_count", { count: number(state.waiting) })],
    state.receipt && ["sync.receipt", t(state.receipt.complete ? "sync.complete" : "sync.incomplete")],
    state.pending?.length > 0 && ["sync.pending", list(state.pending)],
  ].filter(Boolean);
  return h("dl", { class: "facts-table" }, rows.map(([key, value]) => [h("dt", {}, t(key)), h("dd", {}, value)]));
}

function held(edits) {
  return h("section", {}, h("h2", {}, t("sync.held")),
    edits.length === 0
      ? h("p", { class: "quiet" }, t("sync.none_held"))
      : [h("p", {}, t("sync.held_why")), h("ul", { class: "held" }, edits.map(({ date, command }) =>
        h("li", {}, h("a", { href: `#/timeline/${date}` }, date), " ", t("sync.held_take"), " ", h("code", {}, command))))]);
}

function devices(state) {
  return h("section", {}, h("h2", {}, t("sync.devices")),
    h("ul", { class: "devices" }, state.devices.map(({ device, seen }) => h("li", {},
      h("strong", {}, device),
      device === state.device && h("span", { class: "mark" }, t("sync.this_device")),
      h("span", { class: "quiet" }, `${t("sync.seen")}: ${seen ? seen.slice(0, 16).replace("T", " ") : t("sync.long_ago")}`)))));
}

async function run(body, button, told) {
  button.disabled = true;
  replace(told, h("p", { "aria-busy": "true" }, t("sync.running")));
  try {
    for await (const { event, data } of api.stream("/sync")) {
      if (event === "progress") replace(told, h("p", { "aria-busy": "true" }, t("sync.running")), h("code", {}, data.line));
      else if (event === "error") throw data.error;
      else await finished(body, data);
    }
  } catch (error) {
    replace(told, failure(error));
    announce(errorWords(error));
    button.disabled = false;
  }
}

async function finished(body, done) {
  const words = tOr(`result.${done.result}`, "op.other");
  const moved = done.sent === undefined ? "" : ` · ${t("sync.moved", { sent: number(done.sent), received: number(done.received) })}`;
  await read(body);
  body.querySelector(".progress")?.append(h("p", { class: "told" }, `${t("sync.result")}: ${words}${moved}`));
  announce(words);
  changed();
}
