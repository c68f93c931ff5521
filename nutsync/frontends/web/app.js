// The page's frame: who asks, the seven chips, the views, the language.

import { h, replace, announce } from "./dom.js";
import * as api from "./api.js";
import { currentLanguage, layerWord, loadWords, number, switchLanguage, t } from "./words.js";
import { failure, loading } from "./parts.js";
import { counted, forgetCounts, onChange, state } from "./state.js";
import { askToken } from "./token.js";
import { memoryView } from "./memory.js";
import { timelineView } from "./timeline.js";
import { recallView } from "./recall.js";
import { syncView } from "./sync.js";

const VIEWS = { memory: memoryView, timeline: timelineView, recall: recallView, sync: syncView };
const app = document.getElementById("app");
let names = [];

function route() {
  const [view, ...rest] = location.hash.replace(/^#\/?/, "").split("/");
  return { view: view in VIEWS ? view : "memory", rest: rest.map(decodeURIComponent) };
}

function header() {
  const you = state.about && h("p", { class: "you" }, t("app.you", state.about));
  const chooser = names.length > 1 && cellChooser();
  const language = h("button", {
    class: "language", type: "button", "aria-label": t("app.language_label"),
    lang: currentLanguage() === "en" ? "zh-CN" : "en", on: { click: changeLanguage },
  }, t("app.language"));
  const leave = api.token.get() && h("button", { type: "button", class: "plain", on: { click: leaveNow } }, t("app.sign_out"));
  return h("header", {},
    h("a", { class: "skip", href: "#content", on: { click: skip } }, t("app.skip")),
    h("p", { class: "brand" }, h("strong", {}, t("app.title")), h("span", { class: "tagline" }, t("app.tagline"))),
    you, chooser, h("div", { class: "corner" }, leave, language));
}

function cellChooser() {
  const chooser = h("select", { "aria-label": t("app.cell"), on: { change: () => openCell(chooser.value) } },
    names.map((name) => h("option", { value: name }, name)));
  chooser.value = state.about?.id ?? names[0];
  return chooser;
}

function navigation(current) {
  return h("nav", { "aria-label": t("nav.label") },
    h("ul", {}, Object.keys(VIEWS).map((view) =>
      h("li", {}, h("a", { href: `#/${view}`, "aria-current": view === current ? "page" : null }, t(`nav.${view}`))))));
}

function chips() {
  const layers = state.about?.layers ?? [];
  return h("section", { class: "chips", id: "chips", "aria-label": t("chips.label") },
    layers.map(({ layer }) => h("button", {
      type: "button", class: `chip layer-${layer}`, "aria-pressed": String(state.layer === layer),
      on: { click: () => chooseLayer(layer) },
    }, h("span", {}, layerWord(layer)), h("span", { class: "count" }, state.counts ? number(state.counts[layer]) : "…"))));
}

function chooseLayer(layer) {
  state.layer = state.layer === layer ? null : layer;
  draw();
  document.querySelector(`.chip.layer-${layer}`)?.focus();
}

async function refreshCounts() {
  try {
    await counted();
  } catch {
    announce(t("error.title"));
    return;
  }
  const place = document.getElementById("chips");
  if (place) place.replaceWith(chips());
}

function draw({ focus = false } = {}) {
  const { view, rest } = route();
  const content = h("main", { id: "content", tabindex: "-1" });
  replace(app, header(), navigation(view), chips(), content,
    h("div", { id: "status", role: "status", class: "visually-hidden" }));
  document.title = `${t(`nav.${view}`)} · ${t("app.title")}`;
  if (!state.about) return replace(content, loading());
  VIEWS[view](content, rest);
  if (focus) (document.getElementById("heading") ?? content).focus();
}

function changeLanguage() {
  switchLanguage();
  draw();
  document.querySelector(".language")?.focus();
}

function skip(event) {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

function leaveNow() {
  api.token.clear();
  location.reload();
}

async function openCell(name) {
  api.useCell(name);
  Object.assign(state, { about: null, layer: null });
  forgetCounts();
  draw();
  state.about = await api.get("");
  draw();
  await refreshCounts();
}

async function start() {
  try {
    await loadWords();
    draw();
    api.onTokenNeeded(askToken);
    names = await api.cells();
    await openCell(names[0]);
  } catch (error) {
    replace(document.getElementById("content"), failure(error, () => location.reload()));
  }
}

addEventListener("hashchange", () => draw({ focus: true }));
onChange(refreshCounts);
start();
