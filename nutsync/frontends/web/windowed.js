// A list of any length: pages come as they are scrolled to, and those far away are taken out of the page again.

import { h, replace } from "./dom.js";
import { t } from "./words.js";
import { failure } from "./parts.js";

const AHEAD = "1200px";
const KEPT = "4000px";

/**
 * Show a list. `load(cursor)` resolves to `{items, next}`; `draw(item)` makes a list item; `empty` are the words
 * where there is nothing.
 */
export function windowed({ load, draw, empty, label }) {
  const pages = h("div", { class: "pages", role: "list", "aria-label": label });
  const more = h("button", { class: "more", type: "button", on: { click: () => next() } }, t("app.more"));
  const tail = h("div", { class: "tail" }, more);
  const root = h("div", { class: "windowed" }, pages, tail);
  let cursor = null;
  let loading = false;

  const near = new IntersectionObserver((seen) => {
    if (seen.some((one) => one.isIntersecting)) next();
  }, { rootMargin: AHEAD });

  const window = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) isIntersecting ? fill(target) : drain(target);
  }, { rootMargin: KEPT });

  function fill(page) {
    if (page.drained) {
      replace(page, page.items.map(draw));
      page.style.height = "";
      page.drained = false;
    }
  }

  function drain(page) {
    if (page.drained || page.contains(document.activeElement) || !page.isConnected) return;
    page.style.height = `${page.offsetHeight}px`;
    page.replaceChildren();
    page.drained = true;
  }

  async function next() {
    if (loading) return;
    loading = true;
    try {
      const { items, next: following } = await load(cursor);
      if (items.length) {
        const page = h("div", { class: "page", role: "presentation" }, items.map(draw));
        page.items = items;
        pages.append(page);
        window.observe(page);
      } else if (cursor === null) {
        pages.removeAttribute("role");
        pages.append(h("p", { class: "quiet" }, empty));
      }
      cursor = following;
      if (cursor === null) {
        near.disconnect();
        tail.remove();
      } else {
        // What is already in sight is not told again: look anew.
        near.unobserve(tail);
        near.observe(tail);
      }
    } catch (error) {
      near.disconnect();
      replace(tail, failure(error), more);
    } finally {
      loading = false;
    }
  }

  near.observe(tail);
  root.started = next();
  return root;
}
