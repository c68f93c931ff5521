// A year as a map of days. One stop for the Tab key; arrow keys move inside, Enter opens the day.

import { h } from "./dom.js";
import { number, t } from "./words.js";

const DAY = 86_400_000;
const MOVES = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -7, ArrowRight: 7, PageUp: -28, PageDown: 28 };

const iso = (time) => new Date(time).toISOString().slice(0, 10);

/** Levels from 0 to 4, by how a day compares with the fullest of the year. */
function level(count, most) {
  if (!count) return 0;
  return Math.max(1, Math.ceil((4 * Math.log1p(count)) / Math.log1p(most)));
}

export function heatMap(year, counts, chosen, today) {
  const first = Date.UTC(Number(year), 0, 1);
  const days = Math.round((Date.UTC(Number(year) + 1, 0, 1) - first) / DAY);
  const offset = (new Date(first).getUTCDay() + 6) % 7; // weeks begin on Monday
  const most = Math.max(1, ...Object.values(counts));
  const cells = Array.from({ length: days }, (_, place) => {
    const date = iso(first + place * DAY);
    const count = counts[date] ?? 0;
    const words = count === 1 ? t("timeline.cell_one", { date }) : t("timeline.cell", { date, count: number(count) });
    return h("button", {
      type: "button", class: `heat level-${level(count, most)}`, "data-date": date, tabindex: "-1",
      "aria-label": words, title: words, "aria-current": date === today ? "date" : null,
      style: { "grid-row": String(((place + offset) % 7) + 2), "grid-column": String(Math.floor((place + offset) / 7) + 1) },
    });
  });
  const start = cells.find((cell) => cell.dataset.date === chosen) ?? cells.find((cell) => cell.dataset.date === today) ?? cells[0];
  start.tabIndex = 0;

  function move(event) {
    const at = cells.indexOf(event.target);
    const to = event.key === "Home" ? 0 : event.key === "End" ? cells.length - 1 : at + (MOVES[event.key] ?? NaN);
    if (at < 0 || Number.isNaN(to)) return;
    event.preventDefault();
    const next = cells[Math.min(cells.length - 1, Math.max(0, to))];
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  }

  const open = (event) => {
    if (event.target.dataset.date) location.hash = `#/timeline/${event.target.dataset.date}`;
  };
  const grid = h("div", { class: "heat-map", role: "group", "aria-label": t("timeline.map", { year }), on: { keydown: move, click: open } },
    months(Number(year), first, offset), cells);
  const legend = h("p", { class: "legend quiet", "aria-hidden": "true" }, t("timeline.less"),
    [0, 1, 2, 3, 4].map((one) => h("span", { class: `heat level-${one}` })), t("timeline.more"));
  return h("div", { class: "heat-frame" }, h("div", { class: "heat-scroll", tabindex: "-1" }, grid), legend);
}

/** The months' names over the weeks in which they begin. */
function months(year, first, offset) {
  const name = new Intl.DateTimeFormat(document.documentElement.lang, { month: "short", timeZone: "UTC" });
  return Array.from({ length: 12 }, (_, month) => {
    const start = Date.UTC(year, month, 1);
    const week = Math.floor(((start - first) / DAY + offset) / 7) + 1;
    return h("span", { class: "month quiet", "aria-hidden": "true", style: { "grid-column": `${week} / span 4` } }, name.format(start));
  });
}
