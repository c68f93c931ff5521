// The story of one entry: what it says, what corrects it, who did what; and the doors to correct and forget it.

import { built, h, replace } from "./dom.js";
import * as api from "./api.js";
import { kindWord, t, tOr } from "./words.js";
import { failure, layerBadge, loading } from "./parts.js";
import { correctForm, forgetForm } from "./changes.js";

let dialog = null;

/** Open the story of the entry `ref`; closing gives the focus back to where it was. */
export function openEntry(ref) {
  const before = document.activeElement;
  if (!dialog) {
    dialog = h("dialog", { "aria-labelledby": "story-title", class: "story" });
    document.body.append(dialog);
    dialog.addEventListener("close", () => dialog.before?.focus?.());
    dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  }
  if (!dialog.open) dialog.before = before;
  replace(dialog, frame(loading()));
  if (!dialog.open) dialog.showModal();
  load(ref);
}

function frame(...inside) {
  return h("div", { class: "inside" },
    h("div", { class: "top" },
      h("h2", { id: "story-title", tabindex: "-1" }, t("entry.title")),
      h("button", { type: "button", class: "plain", "aria-label": t("app.close"), on: { click: () => dialog.close() } }, "✕")),
    ...inside);
}

async function load(ref) {
  try {
    const { document: entry, tag } = await api.getTagged(api.entryPath(ref), { rendered: true });
    show(entry, tag);
  } catch (error) {
    replace(dialog, frame(failure(error)));
  }
}

function show(entry, tag) {
  const work = h("div", { class: "work" });
  const again = () => load(entry.ref);
  const open = (form) => {
    replace(work, form({ entry, tag, again, done: finished, cancel: () => replace(work, actions()) }));
    work.querySelector("textarea, input")?.focus();
  };
  const actions = () => h("div", { class: "actions" },
    entry.id && h("button", { type: "button", on: { click: () => open(correctForm) } }, t("entry.correct")),
    h("button", { type: "button", class: "danger", on: { click: () => open(forgetForm) } }, t("entry.forget")));
  replace(work, actions());
  replace(dialog, frame(
    ...corrections(entry), said(entry), facts(entry), correctsWhat(entry), work, history(entry)));
  dialog.querySelector("#story-title").focus();
}

function finished(words) {
  replace(dialog, frame(h("p", { class: "told", role: "status" }, words)));
}

function said(entry) {
  return h("div", { class: entry.corrections.length ? "said corrected" : "said" }, built(entry.rendered ?? [entry.text]));
}

/** What holds now comes first, then the earlier ones. */
function corrections(entry) {
  const [newest, ...earlier] = entry.corrections;
  if (!newest) return [];
  const item = (one) => h("li", {}, refButton(one.ref, one.text), " ", h("time", { class: "quiet" }, one.ref.slice(0, 10)));
  return [
    h("section", { class: "holds" }, h("h3", {}, t("entry.now_holds")), h("ul", {}, item(newest))),
    earlier.length > 0 && h("section", {}, h("h3", {}, t("entry.earlier")), h("ul", {}, earlier.map(item))),
  ];
}

function refButton(ref, words) {
  return h("button", { type: "button", class: "link", on: { click: () => openEntry(ref) } }, words);
}

function facts(entry) {
  const when = entry.at ? `${entry.date} ${entry.at}` : entry.date;
  const rows = [
    ["entry.layer", layerBadge(entry.layer)],
    ["entry.kind", entry.kind ? kindWord(entry.kind) : t("entry.by_hand")],
    ["entry.when", when],
    ["entry.device", entry.device || "–"],
    ["entry.whose", entry.actor || t("entry.everyone")],
    ["entry.state", t(entry.frozen ? "entry.frozen" : "entry.open_day")],
    ["entry.file", h("code", {}, entry.path)],
  ];
  return h("dl", { class: "facts-table" }, rows.map(([key, value]) => [h("dt", {}, t(key)), h("dd", {}, value)]));
}

function correctsWhat(entry) {
  return entry.corrects && h("p", {}, `${t("entry.corrects")}: `, refButton(entry.corrects, entry.corrects));
}

function history(entry) {
  const place = h("div", {});
  const section = h("section", { class: "history" }, h("h3", {}, t("entry.history")), place);
  async function read() {
    replace(place, loading());
    try {
      const { records } = await api.get("/audit", { entry: entry.ref });
      replace(place, records.length ? h("ol", {}, records.map(record)) : h("p", { class: "quiet" }, t("entry.no_history")));
    } catch (error) {
      replace(place, failure(error, read));
    }
  }
  replace(place, h("button", { type: "button", on: { click: read } }, t("entry.load_history")));
  return section;
}

function record(one) {
  const line = t("record.line", {
    op: tOr(`op.${one.op}`, "op.other"),
    actor: one.actor || t("record.unknown_actor"),
    device: one.device || t("record.unknown_device"),
  });
  return h("li", {},
    h("p", {}, line),
    h("p", { class: "facts" },
      h("time", { datetime: one.at }, one.at.slice(0, 19).replace("T", " ")),
      h("span", { class: `mark signature-${one.signature}` }, tOr(`signature.${one.signature}`, "signature.unknown")),
      one.late && h("span", { class: "mark" }, t("record.late")),
      h("code", {}, one.commit.slice(0, 10))),
    one.reason && h("p", { class: "quiet" }, t("record.reason", { reason: one.reason })));
}
