// The tour: a card that says what there is to see, and one button that does the next thing on the real page.

import { useEffect, useLayoutEffect, useReducer, useState } from "preact/hooks";
import { post } from "../api.js";
import { inField } from "../app_keys.js";
import { conversation } from "../conversations.js";
import { html } from "../html.js";
import { Icon, Problem } from "../parts.js";
import { say } from "../strings.js";
import { STEPS, endTour, onTour, stepOn, tour } from "../tour.js";

const PILL = ".exchange.last .answer-text .footnote-pill";

export function TourCard() {
  const [, changed] = useReducer((count) => count + 1, 0);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  useLayoutEffect(() => onTour(changed), []);
  const now = tour();
  const name = now && STEPS[now.step];
  const answered = useSeen(PILL, name === "open");

  useLayoutEffect(() => {
    if (!now) return undefined;
    document.querySelector(".shell").dataset.tour = name;
    const pressed = (event) => {
      // Whatever is open is closed first, and who types means what is typed.
      const taken = inField(event.target) || document.querySelector("dialog[open], .source");
      if (event.key === "Escape" && !taken) endTour();
    };
    // Before anybody else, who would close what is open first.
    addEventListener("keydown", pressed, true);
    return () => {
      removeEventListener("keydown", pressed, true);
      delete document.querySelector(".shell")?.dataset.tour;
    };
  }, [name]);

  if (!now) return null;
  const acts = { ask, open, found: go(`#/search/${encodeURIComponent(now.question)}`), library: toFolder, end: endTour };

  async function ask() {
    const { id } = await post("/v1/threads", { title: now.question });
    conversation(id).ask(now.question);
    location.hash = `#/ask/${id}`;
    stepOn({ threadId: id });
  }

  function open() {
    document.querySelector(PILL)?.click();
    stepOn();
  }

  function go(address) {
    return () => {
      location.hash = address;
      stepOn();
    };
  }

  function toFolder() {
    go(`#/library/folder/${now.folder.split("/").filter(Boolean).map(encodeURIComponent).join("/")}`)();
  }

  async function act() {
    setBusy(true);
    setError(null);
    await Promise.resolve().then(acts[name]).catch(setError);
    setBusy(false);
  }

  const away = name === "open" && !location.hash.startsWith(`#/ask/${now.threadId}`);
  return html`<section class="tour" aria-label=${say("tour.title")}>
    <header class="row">
      <small>${say("tour.step", { n: now.step + 1, all: STEPS.length })}</small>
      <button class="quiet" aria-label=${say("tour.stop")} title=${`${say("tour.stop")} (Esc)`} onClick=${endTour}><${Icon} name="close" /></button>
    </header>
    <p role="status">${say(`tour.${name}`, { question: now.question })}</p>
    <${Problem} error=${error} />
    <p class="row">
      ${away
        ? html`<a class="button" href=${`#/ask/${now.threadId}`} onClick=${changed}>${say("tour.back")}</a>`
        : html`<button class="primary" disabled=${busy || (name === "open" && !answered)} onClick=${act}>${say(`tour.do.${name}`)}</button>`}
      ${name !== "end" && html`<button class="quiet" onClick=${() => stepOn()}>${say("tour.skip")}</button>`}
    </p>
  </section>`;
}

/** Whether there is such an element on the page, while it is `wanted`. */
function useSeen(selector, wanted) {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    if (!wanted) return undefined;
    const look = () => setSeen(document.querySelector(selector) !== null);
    const watching = new MutationObserver(look);
    watching.observe(document.getElementById("console"), { childList: true, subtree: true });
    look();
    return () => watching.disconnect();
  }, [wanted]);
  return seen;
}
