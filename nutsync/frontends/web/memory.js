// The first view: what is remembered, in groups by layer. Only groups that hold something are drawn.

import { announce, field, h, replace, select } from "./dom.js";
import * as api from "./api.js";
import { kindWord, layerWord, number, t } from "./words.js";
import { entryItem, failure, heading, loading, errorWords } from "./parts.js";
import { changed, counted, onChange, state } from "./state.js";
import { windowed } from "./windowed.js";

const SHOWN = 5;
const PAGE = 50;

let redraw = () => {};
onChange(() => redraw());

export function memoryView(content) {
  const groups = h("div", { class: "groups" });
  replace(content, heading(t("nav.memory")), rememberForm(), groups);
  redraw = () => {
    if (groups.isConnected) drawGroups(groups);
  };
  drawGroups(groups);
}

async function drawGroups(place) {
  if (state.layer) return replace(place, wholeLayer(state.layer));
  if (!place.hasChildNodes()) replace(place, loading());
  try {
    const counts = await counted();
    const layers = state.about.layers.map(({ layer }) => layer).filter((layer) => counts[layer] > 0);
    const lists = await Promise.all(layers.map((layer) => api.get("/memory", { layer, limit: SHOWN })));
    const drawn = layers.map((layer, place) => group(layer, lists[place].entries));
    replace(place, drawn.length ? drawn : h("p", { class: "quiet" }, t("memory.empty")));
  } catch (error) {
    replace(place, failure(error, () => drawGroups(place)));
  }
}

function group(layer, entries) {
  const count = state.counts[layer];
  const all = count > entries.length && h("button", { type: "button", class: "more", on: { click: () => pressChip(layer) } },
    t("memory.all_of", { count: number(count) }));
  return h("section", { class: `group layer-${layer}`, "aria-labelledby": `group-${layer}` },
    h("h2", { id: `group-${layer}` }, layerWord(layer), h("span", { class: "count" }, number(count))),
    h("div", { role: "list" }, entries.map((entry) => entryItem(entry))), all);
}

function pressChip(layer) {
  document.querySelector(`.chip.layer-${layer}`)?.click();
}

function wholeLayer(layer) {
  return h("section", { class: `group layer-${layer}`, "aria-labelledby": "group-one" },
    h("h2", { id: "group-one" }, layerWord(layer)),
    h("button", { type: "button", class: "plain", on: { click: () => pressChip(layer) } }, t("memory.back")),
    windowed({
      load: async (cursor) => {
        const page = await api.get("/memory", { layer, limit: PAGE, cursor });
        return { items: page.entries, next: page.next };
      },
      draw: (entry) => entryItem(entry),
      empty: t("memory.empty_layer"),
      label: layerWord(layer),
    }));
}

/** Layers that a person writes here: their own, and the team's where they are an admin. */
function writable() {
  const mine = ["about_me", ...(state.about.admin ? ["consensus"] : [])];
  return state.about.layers.filter(({ layer, writable: may }) => may && mine.includes(layer)).map(({ layer }) => layer);
}

const LASTING = ["fact", "preference", "decision", "convention", "event", "task", "skill"];

function rememberForm() {
  const text = h("textarea", { rows: "3", required: true });
  const layer = select(writable().map((one) => [one, layerWord(one)]), "about_me");
  const kind = select(LASTING.map((one) => [one, kindWord(one)]), "fact");
  const told = h("p", { class: "told", role: "status" });
  const form = h("form", { on: { submit: save } },
    field(t("memory.text"), text),
    h("div", { class: "row" }, field(t("memory.layer"), layer), field(t("memory.kind"), kind)),
    h("div", { class: "actions" }, h("button", { class: "primary", type: "submit" }, t("memory.save"))), told);

  async function save(event) {
    event.preventDefault();
    replace(told);
    try {
      const kept = await api.post("/memory", { layer: layer.value, kind: kind.value, content: text.value });
      text.value = "";
      replace(told, t(kept.duplicate ? "memory.known" : "memory.saved"));
      changed();
    } catch (error) {
      replace(told, errorWords(error));
      announce(errorWords(error));
    }
  }

  return h("details", { class: "remember" }, h("summary", {}, t("memory.remember")), form);
}
