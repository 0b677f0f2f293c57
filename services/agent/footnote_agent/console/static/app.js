// The console: who is signed in, which view is open, and the keys that work everywhere.

import { render } from "preact";
import { useEffect, useLayoutEffect, useReducer, useState } from "preact/hooks";
import { inField } from "./app_keys.js";
import { keepFocus } from "./focus.js";
import { html } from "./html.js";
import { choose, language, languages, say } from "./strings.js";
import { currentKey, decoded, leave, onSession, recognise, takeKeyFromAddress, wasRefused } from "./session.js";
import { Boundary, Icon } from "./parts.js";
import { AskView } from "./views/ask.js";
import { LibraryView } from "./views/library.js";
import { OperateView } from "./views/operate.js";
import { SearchView } from "./views/search.js";
import { SharedView } from "./views/shared.js";
import { SignIn } from "./views/sign_in.js";
import { TourCard } from "./views/tour_card.js";

// Without a prototype: an address such as `#/constructor` names no view.
const VIEWS = { __proto__: null, ask: AskView, library: LibraryView, search: SearchView, operate: OperateView, shared: SharedView };
/** The views that one goes to by themselves; the others are led to. */
const PLACES = ["ask", "library", "search", "operate"];

takeKeyFromAddress();
void recognise();
keepFocus();

/**
 * The view and its arguments, from an address such as `#/ask/THREAD/MESSAGE`.
 *
 * Arguments become parts of the API's addresses. So but for the words of a search and the names of folders they
 * are ids: a link with `..%2F` in it would have the page act on something else than it shows.
 */
function route() {
  const [view, ...rest] = location.hash.replace(/^#\/?/, "").split("/").map(decoded);
  if (!(view in VIEWS)) return { view: "ask", arguments: [] };
  const free = view === "search" || (view === "library" && rest[0] === "folder");
  return { view, arguments: free || rest.every((part) => /^[\w-]{0,64}$/.test(part)) ? rest : [] };
}

function Console() {
  const [, changed] = useReducer((count) => count + 1, 0);
  const [at, setAt] = useState(route);
  // In place before the next event: an address that changes in the frame between would be missed.
  useLayoutEffect(() => onSession(changed), []);
  useLayoutEffect(() => {
    const moved = () => {
      takeKeyFromAddress();
      setAt(route());
    };
    addEventListener("hashchange", moved);
    return () => removeEventListener("hashchange", moved);
  }, []);
  useEffect(() => {
    document.title = `${say(`nav.${at.view}`)} · Footnote`;
  }, [at.view]);
  useLayoutEffect(() => {
    addEventListener("keydown", toTheQuestion);
    return () => removeEventListener("keydown", toTheQuestion);
  }, []);
  const [seen, setSeen] = useState(Boolean(currentKey()));
  const signedIn = Boolean(currentKey());
  if (signedIn && !seen) setSeen(true);
  const View = VIEWS[at.view];
  return html`
    ${seen &&
    html`<div class="shell" inert=${!signedIn}>
      <a class="skip" href="#content" onClick=${skip}>${say("nav.skip")}</a>
      <header class="rail">
        <a class="brand" href="#/ask"><${Icon} name="brand" /> Footnote</a>
        <nav aria-label=${say("nav.main")}>
          ${PLACES.map(
            (view) => html`<a href=${`#/${view}`} aria-current=${view === at.view ? "page" : undefined}>
              <${Icon} name=${view} /><span>${say(`nav.${view}`)}</span>
            </a>`,
          )}
        </nav>
        <div class="rail-end">
          <select aria-label=${say("nav.language")} value=${language} onChange=${(e) => choose(e.target.value)}>
            ${languages.map((tag) => html`<option value=${tag}>${nameOf(tag)}</option>`)}
          </select>
          <button class="quiet sign-out" title=${say("nav.signOut")} onClick=${leave}><${Icon} name="leave" /><span>${say("nav.signOut")}</span></button>
        </div>
      </header>
      <${Boundary} key=${at.view}><${View} path=${at.arguments} /><//>
      <${TourCard} />
    </div>`}
    ${!signedIn && html`<${SignIn} refused=${wasRefused()} over=${seen} />`}
  `;
}

const nameOf = (tag) => new Intl.DisplayNames([tag], { type: "language" }).of(tag);

function skip(event) {
  event.preventDefault();
  document.getElementById("content")?.focus();
}

/** `/` leads to the question from everywhere but a field. */
function toTheQuestion(event) {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || inField(event.target)) return;
  event.preventDefault();
  const field = document.querySelector("[data-first-field]");
  if (field) field.focus();
  else location.hash = "#/ask";
}

render(html`<${Console} />`, document.getElementById("console"));
