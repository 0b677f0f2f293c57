// What the console says, in the language of its reader. A text that a language lacks is said in English.

import { de } from "./strings/de.js";
import { en } from "./strings/en.js";

const LANGUAGES = { en, de };
const NAME = "footnote.language";
const RIGHT_TO_LEFT = new Set(["ar", "fa", "he", "ur"]);

export const languages = Object.keys(LANGUAGES);
export const language =
  [localStorage.getItem(NAME), ...navigator.languages.map((tag) => tag.slice(0, 2))].find((tag) => tag in LANGUAGES) ?? "en";

/** Say it: `say("answer.sources", {count: 3})`. With `count`, `one` and `other` are told apart. */
export function say(key, values = {}) {
  const found = LANGUAGES[language][key] ?? en[key] ?? key;
  const text = typeof found === "string" ? found : found[plural.select(values.count)] ?? found.other;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? shown(values[name]) : whole));
}

/** What is said where the key may be missing, as for a kind that the server knows and this page does not. */
export const sayOr = (key, other, values) => (key in en ? say(key, values) : other);

const shown = (value) => (typeof value === "number" ? number(value) : String(value));
const plural = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
const costs = new Intl.NumberFormat(language, { maximumSignificantDigits: 3 });
const moments = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
const days = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" });
const ages = new Intl.RelativeTimeFormat(language, { numeric: "auto" });

export const number = (value) => numbers.format(value);

/** What tokens cost, in a currency that only the operator knows. One answer costs little. */
export const cost = (value) => costs.format(value);
export const moment = (text) => moments.format(new Date(text));

/** A day such as `2026-11-22`, wherever its reader is. */
export const day = (text) => days.format(new Date(`${text}T00:00:00Z`));

export function ago(text) {
  const seconds = (Date.now() - new Date(text)) / 1000;
  for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (seconds >= size) return ages.format(-Math.floor(seconds / size), unit);
  }
  return ages.format(0, "second");
}

export function bytes(size) {
  const power = Math.min(3, Math.floor(Math.log2(Math.max(size, 1)) / 10));
  return `${number(Math.round((size / 1024 ** power) * 10) / 10)} ${["B", "kB", "MB", "GB"][power]}`;
}

export function duration(ms) {
  if (Math.round(ms) < 1000) return `${number(Math.round(ms))} ms`;
  return ms < 60_000 ? `${number(Math.round(ms / 100) / 10)} s` : `${number(Math.round(ms / 6000) / 10)} min`;
}

export function choose(tag) {
  localStorage.setItem(NAME, tag);
  location.reload();
}

document.documentElement.lang = language;
document.documentElement.dir = RIGHT_TO_LEFT.has(language) ? "rtl" : "ltr";
