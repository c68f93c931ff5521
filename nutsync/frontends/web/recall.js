// Recall: words in, the stages it went through, the days it found, what corrects them.

import { announce, field, h, replace, select } from "./dom.js";
import * as api from "./api.js";
import { number, t } from "./words.js";
import { entryItem, failure, heading, layerBadge, loading } from "./parts.js";
import { state } from "./state.js";

/** `#/recall` or `#/recall/WORDS/MODE/deep`. */
export function recallView(content, [words = "", mode = "any", deep = ""]) {
  const input = h("input", { type: "search", required: true, value: words, maxlength: "400", enterkeyhint: "search" });
  const how = select(["any", "all", "ask"].map((one) => [one, t(`recall.${one}`)]), mode);
  const every = h("input", { type: "checkbox" });
  every.checked = deep === "deep";
  const results = h("div", { class: "results" });
  const form = h("form", { role: "search", class: "recall", on: { submit: (event) => {
    event.preventDefault();
    const asked = `#/recall/${[input.value, how.value, every.checked ? "deep" : ""].map(encodeURIComponent).join("/")}`;
    if (asked === location.hash) show(results, input.value, how.value, every.checked);
    else location.hash = asked;
  } } },
    field(t("recall.terms"), input),
    h("div", { class: "row" }, field(t("recall.mode"), how),
      h("div", { class: "field check" }, h("label", {}, every, t("recall.deep")))),
    h("div", { class: "actions" }, h("button", { class: "primary", type: "submit" }, t("recall.go"))));
  replace(content, heading(t("recall.title")), form, results);
  if (words) show(results, words, mode, deep === "deep");
}

async function show(place, words, mode, deep) {
  replace(place, loading());
  const terms = words.trim().split(/\s+/);
  const asked = mode === "ask" ? { ask: words } : { term: terms, all: mode === "all" };
  try {
    const found = await api.get("/recall", { ...asked, deep, layer: state.layer });
    const count = t("recall.found", { count: number(found.hits.length) });
    replace(place, trail(found),
      found.hits.length ? h("p", { class: "quiet" }, count) : h("p", {}, t("recall.nothing")),
      found.hits.map(hit), found.more && h("p", { class: "quiet" }, t("recall.more")));
    announce(found.hits.length ? count : t("recall.nothing"));
  } catch (error) {
    replace(place, failure(error, () => show(place, words, mode, deep)));
  }
}

/** The stages in order: those asked with what they found, those not asked greyed. */
function trail(found) {
  const asked = found.stages.map(({ stage, scanned, hits }) => h("li", { class: hits ? "asked found" : "asked" },
    h("strong", {}, t(`stage.${stage}`)),
    h("span", {}, t("recall.stage_found", { hits: number(hits) })),
    scanned !== null && h("span", { class: "quiet" }, t("recall.stage_scanned", { scanned: number(scanned) }))));
  const rest = found.not_asked.map((stage) => h("li", { class: "not-asked" },
    h("strong", {}, t(`stage.${stage}`)), h("span", {}, t("recall.not_asked"))));
  return h("section", { class: "trail", "aria-label": t("recall.stages") }, h("ol", {}, asked, rest));
}

function hit(one) {
  return h("section", { class: "hit" },
    h("h2", {}, h("a", { href: `#/timeline/${one.date}` }, h("time", { datetime: one.date }, one.date)),
      h("span", { class: "quiet" }, t("recall.by", { stage: t(`stage.${one.stage}`) }))),
    one.index && h("p", { class: "index" }, one.index),
    h("div", { role: "list" }, one.entries.map(found)));
}

function found(entry) {
  const [newest] = entry.corrections ?? [];
  const shown = { showDate: false, role: null };
  return h("div", { role: "listitem", class: "found" }, layerBadge(entry.layer),
    newest && [entryItem(newest, { showDate: true, role: null }), h("p", { class: "quiet" }, t("recall.replaces"))],
    entryItem(entry, shown));
}
