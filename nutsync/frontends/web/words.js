// The one table of words. Every text of the page comes from here, in the language that is chosen.

const KEPT = "nutsync.language";
export const LANGUAGES = ["en", "zh"];

let table = {};
let language = "en";

export async function loadWords() {
  const response = await fetch("/assets/words.json");
  table = await response.json();
  choose(localStorage.getItem(KEPT) ?? (navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en"));
}

export function currentLanguage() {
  return language;
}

export function switchLanguage() {
  choose(language === "en" ? "zh" : "en");
  localStorage.setItem(KEPT, language);
}

function choose(wanted) {
  language = LANGUAGES.includes(wanted) ? wanted : "en";
  document.documentElement.lang = language === "zh" ? "zh-CN" : "en";
}

/** The words of `key`, with `{name}` filled in. */
export function t(key, values = {}) {
  const words = table[key]?.[language] ?? key;
  return words.replace(/\{(\w+)\}/g, (_, name) => String(values[name] ?? ""));
}

/** The words of `key` where there are some, else those of `other`. */
export function tOr(key, other, values = {}) {
  return key in table ? t(key, values) : t(other, values);
}

export const layerWord = (layer) => t(`layer.${layer}`);
export const kindWord = (kind) => tOr(`kind.${kind}`, "kind.none");
export const number = (value) => new Intl.NumberFormat(document.documentElement.lang).format(value);

export function list(values) {
  return new Intl.ListFormat(document.documentElement.lang, { type: "conjunction" }).format(values);
}
