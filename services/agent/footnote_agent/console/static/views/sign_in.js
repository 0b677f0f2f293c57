// Sign in with a key. It stands in place of the page where somebody was signed out in mid-work: what was typed
// is kept there, unseen.

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { html } from "../html.js";
import { Icon } from "../parts.js";
import { holderOf, signIn } from "../session.js";
import { say } from "../strings.js";

export function SignIn({ refused, over }) {
  const [key, setKey] = useState("");
  const [stay, setStay] = useState(true);
  const [trouble, setTrouble] = useState("");
  const [asking, setAsking] = useState(false);
  const field = useRef();
  useLayoutEffect(() => field.current.focus(), []);

  async function submit(event) {
    event.preventDefault();
    setAsking(true);
    setTrouble("");
    try {
      const holder = await holderOf(key);
      if (holder === null) setTrouble(say("signIn.refused"));
      else signIn(key, stay, holder);
    } catch {
      setTrouble(say("signIn.unreachable"));
    }
    setAsking(false);
  }

  const said = trouble || (refused ? say(`signIn.${refused}`) : "");
  return html`<div class=${over ? "sign-in over" : "sign-in"}>
    <main>
      <form onSubmit=${submit} aria-labelledby="sign-in-title">
        <p class="brand"><${Icon} name="brand" /> Footnote</p>
        <h1 id="sign-in-title">${say("signIn.title")}</h1>
        <p class="lead">${say("signIn.lead")}</p>
        <label for="key">${say("signIn.key")}</label>
        <input id="key" ref=${field} type="password" autocomplete="current-password" spellcheck=${false} required
          aria-describedby="key-hint" value=${key} onInput=${(e) => setKey(e.target.value)} />
        <p id="key-hint" class="hint">${say("signIn.hint")}</p>
        <label class="check">
          <input type="checkbox" checked=${stay} onChange=${(e) => setStay(e.target.checked)} /> ${say("signIn.stay")}
        </label>
        ${said && html`<p class="problem" role="alert">${said}</p>`}
        <button class="primary" disabled=${asking}>${say("signIn.do")}</button>
      </form>
    </main>
  </div>`;
}
