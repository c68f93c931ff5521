// Small parts that several views share.

import { h } from "./dom.js";
import { kindWord, layerWord, t, tOr } from "./words.js";
import { openEntry } from "./entry.js";

/** What a refusal says to people. */
export function errorWords(error) {
  const code = error?.code ?? "other";
  return tOr(`error.${code}`, "error.other", { code });
}

export function failure(error, again) {
  if (!error?.code) console.error(error);
  const button = again && h("button", { type: "button", on: { click: again } }, t("app.retry"));
  return h("div", { class: "failure", role: "alert" }, h("p", {}, errorWords(error)), button);
}

export function loading() {
  return h("p", { class: "quiet", "aria-busy": "true" }, t("app.loading"));
}

/** One entry in a list: its text as text, and a button to its story. */
export function entryItem(entry, { showDate = true, role = "listitem" } = {}) {
  const corrected = entry.corrected_by.length > 0;
  const time = entry.at ? entry.at.slice(0, 5) : t("entry.by_hand");
  return h("div", { class: corrected ? "entry corrected" : "entry", role },
    h("button", { class: "open", type: "button", "aria-label": t("entry.open"), on: { click: () => openEntry(entry.ref) } },
      h("span", { class: "text" }, entry.text)),
    h("p", { class: "facts" },
      showDate && h("time", { datetime: entry.date ?? entry.ref.slice(0, 10) }, entry.date ?? entry.ref.slice(0, 10)),
      h("span", {}, time),
      entry.kind && h("span", { class: "kind" }, kindWord(entry.kind)),
      corrected && h("span", { class: "mark" }, t("entry.corrected")),
      entry.corrects && h("span", { class: "mark" }, t("entry.correction"))));
}

export function layerBadge(layer) {
  return h("span", { class: `badge layer-${layer}` }, layerWord(layer));
}

/** A heading that takes the focus when its view opens, so that who listens knows where they are. */
export function heading(words) {
  return h("h1", { tabindex: "-1", id: "heading" }, words);
}
