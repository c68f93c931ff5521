// Asking for a token, once for however many requests want it.

import { field, h, replace } from "./dom.js";
import * as api from "./api.js";
import { t } from "./words.js";

let asked = null;

export function askToken() {
  asked ??= new Promise((resolve) => show(resolve)).finally(() => {
    asked = null;
  });
  return asked;
}

function show(resolve) {
  const secret = h("input", { type: "password", autocomplete: "off", required: true, spellcheck: "false" });
  const trouble = h("p", { class: "failure", role: "alert" });
  const dialog = h("dialog", { "aria-labelledby": "token-title", class: "small" },
    h("form", { on: { submit: (event) => enter(event) } },
      h("h2", { id: "token-title" }, t("token.title")),
      h("p", {}, t("token.explain")),
      field(t("token.label"), secret), trouble,
      h("div", { class: "actions" }, h("button", { class: "primary", type: "submit" }, t("token.go")))));

  async function enter(event) {
    event.preventDefault();
    if (await api.letsIn(secret.value.trim())) {
      dialog.close();
      dialog.remove();
      resolve();
    } else {
      replace(trouble, t("token.wrong"));
      secret.select();
    }
  }

  dialog.addEventListener("cancel", (event) => event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
  secret.focus();
}
