// The card that a pill shows to whoever points at it or comes to it by keyboard: title, place, first words.

import { useEffect, useState } from "preact/hooks";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { placeOf } from "../parts.js";
import { say } from "../strings.js";
import { withoutTitle } from "./source_names.js";

const FIRST_WORDS = 220;

export function HoverCard({ within, entries }) {
  const [at, setAt] = useState(null);
  useEffect(() => {
    const show = (event) => {
      const button = event.target.closest?.(".footnote-pill");
      if (!button) return setAt(null);
      const box = button.getBoundingClientRect();
      const base = within.current.parentElement.getBoundingClientRect();
      const left = Math.max(0, Math.min(box.left - base.left, base.width - 320));
      return setAt({ n: Number(button.dataset.n), left, top: box.bottom - base.top + 6 });
    };
    const hide = () => setAt(null);
    const key = (event) => event.key === "Escape" && hide();
    const element = within.current;
    const list = [["mouseover", show], ["focusin", show], ["mouseleave", hide], ["focusout", hide], ["keydown", key]];
    for (const [name, listener] of list) element.addEventListener(name, listener);
    return () => {
      for (const [name, listener] of list) element.removeEventListener(name, listener);
    };
  }, []);
  const entry = at && entries[at.n];
  if (!entry) return null;
  const { display, quote = "" } = entry;
  const place = placeOf({ ...display, heading_path: withoutTitle(display) });
  const words = quote.replace(/^#{1,6} .*\n+/, "");
  return html`<div class="hover-card" role="tooltip" style=${{ left: `${at.left}px`, top: `${at.top}px` }}>
    <strong dir="auto">${entry.status ? say(`source.${entry.status}`) : visible(display.title || display.source || "")}</strong>
    ${place && html`<small dir="auto">${visible(place)}</small>`}
    ${words && html`<p dir="auto">${visible(words.slice(0, FIRST_WORDS))}${words.length > FIRST_WORDS ? "…" : ""}</p>`}
  </div>`;
}
