// Correcting and forgetting: first what will happen, then the button that does it.

import { field, h, replace } from "./dom.js";
import * as api from "./api.js";
import { layerWord, list, t } from "./words.js";
import { failure } from "./parts.js";
import { changed, state } from "./state.js";

function consequences(lines) {
  return h("div", { class: "consequences", role: "status" },
    h("h3", {}, t("forget.will")), h("ul", {}, lines.filter(Boolean).map((line) => h("li", {}, line))));
}

/** A form in two steps: `preview()` resolves to lines, `carryOut()` does it, `words` names its texts. */
function twoSteps({ words, inputs, preview, carryOut, context, danger }) {
  const after = h("div", {});
  const look = h("button", { type: "submit" }, t(`${words}.preview`));
  const cancel = h("button", { type: "button", class: "plain", on: { click: context.cancel } }, t("app.cancel"));
  const form = h("form", { class: "change", on: { submit: show, input: () => replace(after) } },
    h("h3", {}, t(`${words}.title`)), inputs, h("div", { class: "actions" }, look, cancel), after);

  const trouble = (error) => replace(after, failure(error, error.code === "ErrChanged" ? context.again : null));

  async function show(event) {
    event.preventDefault();
    try {
      const lines = await preview();
      const confirm = h("button", { type: "button", class: danger ? "danger" : "primary", on: { click: go } }, t(`${words}.confirm`));
      replace(after, consequences(lines), h("div", { class: "actions" }, confirm));
      confirm.focus();
    } catch (error) {
      trouble(error);
    }
  }

  async function go() {
    try {
      await carryOut();
      context.done(t(`${words}.done`));
      changed();
    } catch (error) {
      trouble(error);
    }
  }

  return form;
}

const onCondition = (tag) => (tag ? { "If-Match": tag } : {});

export function correctForm(context) {
  const { entry, tag } = context;
  const text = h("textarea", { rows: "3", required: true });
  text.value = entry.text;
  return twoSteps({
    words: "correct",
    context,
    inputs: field(t("correct.text"), text),
    preview: async () => [
      t("correct.new", state.about),
      t("correct.old", { date: entry.date }),
      t("correct.same", { layer: layerWord(entry.layer) }),
    ],
    carryOut: () => api.post("/correct", { ref: entry.ref, content: text.value }, onCondition(tag)),
  });
}

export function forgetForm(context) {
  const { entry, tag } = context;
  const reason = h("input", { type: "text", required: true, autocomplete: "off" });
  const replacement = h("textarea", { rows: "2" });
  const body = () => ({
    refs: [entry.ref],
    reason: reason.value,
    ...(replacement.value.trim() ? { replace: replacement.value } : {}),
  });
  return twoSteps({
    words: "forget",
    danger: true,
    context,
    inputs: [field(t("forget.reason"), reason), field(t("forget.replace"), replacement)],
    preview: async () => forgetLines(await api.post("/forget", { ...body(), dry_run: true }, onCondition(tag)), replacement.value.trim()),
    carryOut: () => api.post("/forget", body(), onCondition(tag)),
  });
}

function forgetLines(plan, replaced) {
  return [
    t("forget.gone", { count: plan.forgotten.length, days: list(plan.forgotten.map((ref) => ref.slice(0, 10))) }),
    replaced && t("forget.replaced"),
    plan.emptied.length === 0 && t("forget.index"),
    plan.corrections.length > 0 && t("forget.corrections", { refs: list(plan.corrections) }),
    plan.reindexed.length > 0 && t("forget.reindexed", { days: list(plan.reindexed) }),
    plan.emptied.length > 0 && t("forget.emptied", { days: list(plan.emptied) }),
    t("forget.history"),
  ];
}
