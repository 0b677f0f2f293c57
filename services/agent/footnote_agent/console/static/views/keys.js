// The keys of the workspace: make one, see it once, revoke one.

import { useState } from "preact/hooks";
import { allOf, post, remove } from "../api.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Copied, Mark, Problem, Sure, useLoaded } from "../parts.js";
import { moment, say } from "../strings.js";
import { OperateTabs } from "./operate_tabs.js";

const SCOPES = ["read", "write", "admin"];

export function KeysView() {
  const keys = useLoaded(() => allOf("/v1/keys"), []);
  const [made, setMade] = useState(null);
  const [doomed, setDoomed] = useState(null);
  const [error, setError] = useState(null);

  async function revoke(key) {
    setDoomed(null);
    setError(null);
    try {
      await remove(`/v1/keys/${key.id}`);
      if (made?.id === key.id) setMade(null);
      keys.again();
    } catch (problem) {
      setError(problem);
    }
  }

  return html`<main id="content" tabindex="-1" class="page">
    <${OperateTabs} current="keys" />
    <${Problem} error=${error ?? keys.error} onRetry=${keys.again} />
    ${made &&
    html`<div class="note" role="status"><p>${say("keys.once", { name: visible(made.name) })}</p>
      <p class="row"><code class="secret">${made.key}</code><${Copied} text=${made.key} /></p></div>`}
    ${keys.data &&
    html`<${NewKey} onMade=${(key) => (setMade(key), keys.again())} />
      <table class="list">
        <thead><tr><th>${say("connectors.name")}</th><th class="wide">${say("keys.avatar")}</th><th>${say("keys.scopes")}</th><th class="wide">${say("keys.made")}</th><th><span class="hidden">${say("keys.revoke")}</span></th></tr></thead>
        <tbody>
          ${keys.data.map(
            (key) => html`<tr key=${key.id}>
              <td><span dir="auto">${visible(key.name)}</span> <small><code>${visible(key.hint)}…</code></small>
                ${key.current && html`<small class="under">${say("keys.current")}</small>`}</td>
              <td class="wide" dir="auto">${visible(key.avatar)}</td>
              <td>${key.scopes.map((scope) => say(`scope.${scope}`)).join(", ")}</td>
              <td class="wide"><small>${moment(key.created_at)}</small></td>
              <td class="num">${key.revoked_at
                ? html`<${Mark} kind="failed" text=${say("keys.revoked")} />`
                : html`<button class="quiet" aria-label=${`${say("keys.revoke")}: ${visible(key.name)}`} onClick=${() => setDoomed(key)}>${say("keys.revoke")}</button>`}</td>
            </tr>`,
          )}
        </tbody>
      </table>`}
    ${doomed &&
    html`<${Sure} text=${say(doomed.current ? "keys.revokeOwn" : "keys.revokeSure", { name: visible(doomed.name) })} yes=${say("keys.revoke")}
      onYes=${() => revoke(doomed)} onNo=${() => setDoomed(null)} />`}
  </main>`;
}

function NewKey({ onMade }) {
  const [name, setName] = useState("");
  const [scopes, setScopes] = useState(["read", "write"]);
  const [avatar, setAvatar] = useState("");
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const toggle = (scope) => setScopes(scopes.includes(scope) ? scopes.filter((one) => one !== scope) : [...scopes, scope]);

  async function make(event) {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      onMade(await post("/v1/keys", { name: name.trim(), scopes, new_avatar: avatar.trim() || undefined }));
      setName("");
      setAvatar("");
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  }

  return html`<details class="maker"><summary class="button">${say("keys.new")}</summary>
    <form class="form" onSubmit=${make}>
      <label><span>${say("keys.for")}</span><input data-first-field required maxlength="200" value=${name} onInput=${(e) => setName(e.target.value)} /></label>
      <fieldset><legend>${say("keys.scopes")}</legend><div class="row">
        ${SCOPES.map((scope) => html`<label class="check"><input type="checkbox" checked=${scopes.includes(scope)} onChange=${() => toggle(scope)} /> ${say(`scope.${scope}`)}</label>`)}
      </div></fieldset>
      <div><label for="new-avatar"><span>${say("keys.newAvatar")} <small>${say("connectors.optional")}</small></span></label>
        <input id="new-avatar" maxlength="200" aria-describedby="new-avatar-hint" value=${avatar} onInput=${(e) => setAvatar(e.target.value)} />
        <small id="new-avatar-hint" class="hint">${say("keys.avatarHint")}</small></div>
      <${Problem} error=${error} />
      <div class="row"><button class="primary" disabled=${busy || !scopes.length}>${say("keys.make")}</button></div>
    </form>
  </details>`;
}
