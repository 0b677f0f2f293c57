// The form of a connector: its fields are those that the server names for its kind, so a new kind needs no new form.

import { useState } from "preact/hooks";
import { post, send } from "../api.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Icon, Problem } from "../parts.js";
import { say, sayOr } from "../strings.js";
import { Told } from "../told.js";

// Credentials that are no secrets: who somebody is.
const OPEN = new Set(["email", "username"]);
const SCHEDULES = ["", "15m", "1h", "6h", "1d", "7d"];

/** Without `connector` a new one is made. Credentials that are left empty stay as they are. */
export function ConnectorForm({ cards, connector, onSaved }) {
  const [kind, setKind] = useState(connector?.kind ?? cards[0].kind);
  const [values, setValues] = useState(() => connector?.config ?? {});
  const [secrets, setSecrets] = useState({});
  const [name, setName] = useState(connector?.name ?? "");
  const [folder, setFolder] = useState("");
  const [schedule, setSchedule] = useState(connector?.schedule ?? "");
  const [preview, setPreview] = useState(null);
  const [error, setError] = useState(null);
  const [busy, setBusy] = useState(false);
  const card = cards.find((one) => one.kind === kind);
  const faults = Object.fromEntries((error?.errors ?? []).map(({ field, message }) => [field, message]));

  const body = () => ({
    kind,
    name: name.trim() || kind,
    config: filled(card.config, values),
    credentials: Object.keys(filled(card.credentials, secrets)).length ? filled(card.credentials, secrets) : undefined,
  });

  async function during(work) {
    setBusy(true);
    setError(null);
    try {
      await work();
    } catch (problem) {
      setError(problem);
    }
    setBusy(false);
  }

  const test = () =>
    during(async () => {
      setPreview(null);
      setPreview(await post("/v1/connectors:preview", body()));
    });
  const save = (event) => {
    event.preventDefault();
    const { kind: _, ...rest } = body();
    return during(async () =>
      onSaved(
        connector
          ? await send("PATCH", `/v1/connectors/${connector.id}`, { body: { ...rest, schedule } })
          : await post("/v1/connectors", { ...body(), schedule: schedule || undefined, folder: folder.trim() || undefined }),
      ),
    );
  };
  const choose = (wanted) => {
    setKind(wanted);
    setValues({});
    setSecrets({});
    setPreview(null);
    setError(null);
  };
  const field = (place, one, given, set) => html`<${Field} key=${`${kind}.${place}.${one.name}`} kind=${kind} secret=${place === "credentials"} field=${one}
    value=${given[one.name]} fault=${faults[`${place}.${one.name}`]} kept=${connector?.has_credentials} onValue=${(value) => set((last) => ({ ...last, [one.name]: value }))} />`;

  return html`
    <p class="back"><a href=${connector ? `#/library/connectors/${connector.id}` : "#/library/connectors"}><${Icon} name="previous" />${say("connectors.title")}</a></p>
    <h1>${connector ? say("connectors.change", { name: visible(connector.name) }) : say("connectors.new")}</h1>
    <form class="form" onSubmit=${save}>
      ${!connector &&
      html`<label><span>${say("connectors.kind")}</span>
        <select data-first-field value=${kind} onChange=${(e) => choose(e.target.value)}>
          ${cards.map((one) => html`<option value=${one.kind}>${sayOr(`kind.${one.kind}`, one.kind)}</option>`)}
        </select></label>`}
      <label><span>${say("connectors.name")}</span><input required maxlength="200" value=${name} onInput=${(e) => setName(e.target.value)} /></label>
      ${card.config.map((one) => field("config", one, values, setValues))}
      ${card.credentials.map((one) => field("credentials", one, secrets, setSecrets))}
      ${card.credentials.length > 0 && html`<p class="hint">${say("connectors.sealed")}</p>`}
      ${!connector && html`<label><span>${say("document.folder")}</span><input placeholder=${name.trim() && `/${name.trim()}`} value=${folder} onInput=${(e) => setFolder(e.target.value)} /></label>`}
      ${card.syncs &&
      html`<label><span>${say("connectors.schedule")}</span>
        <select value=${schedule} onChange=${(e) => setSchedule(e.target.value)}>
          ${[...new Set([...SCHEDULES, schedule])].map((one) => html`<option value=${one}>${sayOr(`schedule.${one || "never"}`, one)}</option>`)}
        </select></label>`}
      <${Problem} error=${error} />
      <div class="row">
        ${card.syncs && (!connector || card.credentials.length === 0) && html`<button type="button" disabled=${busy} onClick=${test}>${say("connectors.test")}</button>`}
        <button class="primary" disabled=${busy}>${say(connector ? "connectors.save" : "connectors.make")}</button>
      </div>
    </form>
    ${preview && html`<${FirstItems} preview=${preview} />`}
  `;
}

/** What was filled in, in the types that the API takes. What is empty is left out. */
function filled(fields, values) {
  const found = {};
  for (const { name, type, choices } of fields) {
    const value = values[name];
    if (value === undefined || value === "" || value === null) continue;
    if (type === "number") found[name] = Number(value);
    else if (type === "list" && typeof value === "string") found[name] = value.split(",").map((one) => one.trim()).filter(Boolean);
    else if (type !== "list" || !choices.length || value.length) found[name] = value;
  }
  return found;
}

function Field({ kind, field, secret, value, fault, kept, onValue }) {
  const label = sayOr(`field.${field.name}`, field.name);
  const hint = sayOr(`hint.${kind}.${field.name}`, visible(field.description));
  const id = `field-${field.name}`;
  const said = html`<small id=${`${id}-hint`} class="hint">${hint}</small>${fault && html`<small class="bad" role="alert"><${Told} text=${fault} /></small>`}`;
  if (field.type === "boolean") {
    return html`<div><label class="check"><input type="checkbox" aria-describedby=${`${id}-hint`} checked=${value ?? field.default} onChange=${(e) => onValue(e.target.checked)} /> ${label}</label>${said}</div>`;
  }
  if (field.type === "list" && field.choices.length) {
    const chosen = value ?? field.default ?? [];
    const toggle = (one) => onValue(chosen.includes(one) ? chosen.filter((other) => other !== one) : [...chosen, one]);
    return html`<fieldset aria-describedby=${`${id}-hint`}><legend>${label}</legend>
      <div class="row">${field.choices.map((one) => html`<label class="check"><input type="checkbox" checked=${chosen.includes(one)} onChange=${() => toggle(one)} /> ${sayOr(`choice.${one}`, one)}</label>`)}</div>${said}</fieldset>`;
  }
  if (field.choices.length) {
    return html`<div><label for=${id}><span>${label}</span></label>
      <select id=${id} aria-describedby=${`${id}-hint`} value=${value ?? field.default ?? ""} onChange=${(e) => onValue(e.target.value)}>
        ${field.choices.map((one) => html`<option value=${one}>${sayOr(`choice.${one}`, one)}</option>`)}
      </select>${said}</div>`;
  }
  const shown = Array.isArray(value) ? value.join(", ") : (value ?? "");
  return html`<div><label for=${id}><span>${label}${field.required ? "" : html` <small>${say("connectors.optional")}</small>`}</span></label>
    <input id=${id} aria-describedby=${`${id}-hint`} aria-invalid=${Boolean(fault)} required=${field.required && !(secret && kept)}
      type=${secret && !OPEN.has(field.name) ? "password" : field.type === "number" ? "number" : "text"} autocomplete=${secret ? "new-password" : "off"} spellcheck=${false}
      placeholder=${secret && kept ? say("connectors.kept") : typeof field.default === "string" || typeof field.default === "number" ? String(field.default) : ""}
      value=${shown} onInput=${(e) => onValue(e.target.value)} />${said}</div>`;
}

const FirstItems = ({ preview }) => html`<section class="first-items" role="status" aria-label=${say("connectors.first")}>
  <h2>${say("connectors.first")}</h2>
  ${preview.problem && html`<p class="problem" dir="auto"><${Told} text=${preview.problem} /></p>`}
  ${!preview.problem && !preview.items.length && html`<p class="hint">${say("connectors.noItems")}</p>`}
  <ul>
    ${preview.items.map(
      (item) => html`<li key=${item.id}><span dir="auto">${visible(item.title || item.id)}</span>
        <small dir="auto">${visible([item.folder, item.author].filter(Boolean).join(" · "))}</small>
        ${item.left_out && html`<small class="bad" dir="auto"><${Told} text=${item.left_out} /></small>`}</li>`,
    )}
  </ul>
  ${preview.more && !preview.problem && html`<p class="hint">${say("connectors.andMore")}</p>`}
</section>`;
