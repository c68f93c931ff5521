// The timeline: a heat map of one year, and under it the days, newest first.

import { h, replace, select } from "./dom.js";
import * as api from "./api.js";
import { number, t } from "./words.js";
import { entryItem, failure, heading, loading } from "./parts.js";
import { onChange, state } from "./state.js";
import { windowed } from "./windowed.js";
import { heatMap } from "./heat.js";

const PAGE = 40;

let redraw = () => {};
onChange(() => redraw());

/** `#/timeline`, `#/timeline/2026`, `#/timeline/2026-11-30`. */
export function timelineView(content, [chosen]) {
  const top = h("div", {});
  const days = h("div", {});
  replace(content, heading(t("timeline.title")), top, days);
  drawTop(top, (chosen ?? state.about.today).slice(0, 4), chosen);
  if (chosen?.length === 10) oneDay(days, chosen);
  else drawDays(days, chosen);
  redraw = () => {
    if (content.isConnected && location.hash.startsWith("#/timeline")) timelineView(content, [chosen]);
  };
}

async function drawTop(place, year, chosen) {
  try {
    const [{ years }, counts] = await Promise.all([
      api.get("/years", { layer: state.layer }),
      api.get(`/years/${year}`, { layer: state.layer }),
    ]);
    const known = Object.keys(years).includes(year) ? years : { ...years, [year]: 0 };
    const all = Object.keys(known).sort().reverse();
    replace(place, yearBar(all, known, year), heatMap(year, counts.days, chosen, state.about.today));
  } catch (error) {
    replace(place, failure(error, () => drawTop(place, year, chosen)));
  }
}

const go = (where) => {
  location.hash = `#/timeline/${where}`;
};

function yearBar(all, years, year) {
  const at = all.indexOf(year);
  const chooser = select(
    all.map((one) => [one, t("timeline.year_option", { year: one, count: number(years[one]) })]), year,
    { "aria-label": t("timeline.year"), on: { change: () => go(chooser.value) } });
  const step = (where, words, sign) => h("button", {
    type: "button", "aria-label": t(words), disabled: where === undefined, on: { click: () => go(where) },
  }, sign);
  return h("div", { class: "years" },
    step(all[at + 1], "timeline.previous", "‹"), chooser, step(all[at - 1], "timeline.next", "›"));
}

function drawDays(place, year) {
  replace(place, h("h2", {}, t("timeline.days")), windowed({
    load: async (cursor) => {
      const until = year ? `${year}-12-31` : null;
      const page = await api.get("/days", { layer: state.layer, limit: PAGE, cursor, until });
      return { items: page.days, next: page.next };
    },
    draw: dayItem,
    empty: t("memory.empty"),
    label: t("timeline.days"),
  }));
}

function dayItem(day) {
  const inside = h("div", { class: "inside" });
  const details = h("details", { on: { toggle: () => details.open && fillDay(inside, day.date) } },
    h("summary", {},
      h("time", { datetime: day.date }, day.date), " ",
      day.date === state.about.today && [h("span", { class: "mark" }, t("timeline.today")), " "],
      h("span", { class: "quiet" },
        day.entries === 1 ? t("timeline.day_one") : t("timeline.day", { count: number(day.entries) })), " ",
      h("span", { class: "index" }, day.index || t("timeline.no_index"))),
    inside);
  return h("div", { class: "day", role: "listitem" }, details);
}

async function fillDay(place, date) {
  if (place.hasChildNodes()) return;
  replace(place, loading());
  try {
    const day = await api.get(`/days/${date}`);
    const wanted = day.entries.filter((entry) => !state.layer || entry.layer === state.layer);
    replace(place, h("div", { role: "list" }, wanted.map((entry) => entryItem(entry, { showDate: false }))));
  } catch (error) {
    replace(place, failure(error, () => fillDay(place, date)));
  }
}

async function oneDay(place, date) {
  const back = h("a", { href: `#/timeline/${date.slice(0, 4)}` }, t("timeline.all_days"));
  const body = h("div", {}, loading());
  replace(place, h("h2", {}, h("time", { datetime: date }, date)), h("p", {}, back), body);
  try {
    const day = await api.get(`/days/${date}`);
    replace(body, h("p", { class: "index" }, day.index || t("timeline.no_index")),
      h("div", { role: "list" }, day.entries.map((entry) => entryItem(entry, { showDate: false }))));
  } catch (error) {
    replace(body, error.code === "ErrUnknownRef"
      ? h("p", { class: "quiet" }, t("timeline.no_day", { date }))
      : failure(error, () => oneDay(place, date)));
  }
}
