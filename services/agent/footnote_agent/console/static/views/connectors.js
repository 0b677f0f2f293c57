// Connectors: which there are, and what became of one that was deleted.

import { useState } from "preact/hooks";
import { allOf, get } from "../api.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Icon, Problem, useEvery, useLoaded } from "../parts.js";
import { moment, number, say, sayOr } from "../strings.js";
import { Told } from "../told.js";
import { ConnectorForm } from "./connector_form.js";
import { ConnectorMark } from "./connector_mark.js";
import { ConnectorPage } from "./connector_page.js";
import { LibraryTabs } from "./library_tabs.js";

const LOOK_EVERY_MS = 8000;

export function ConnectorsView({ path: [id] }) {
  const [receipt, setReceipt] = useState(null);
  const [made, setMade] = useState(null);
  const kinds = useLoaded((signal) => get("/v1/connectors:kinds", { signal }), []);
  const open = (connector) => {
    setMade(connector);
    location.hash = `#/library/connectors/${connector.id}`;
  };
  const ended = (deleted) => {
    setReceipt({ ...deleted, at: new Date().toISOString() });
    location.hash = "#/library/connectors";
  };
  const cards = kinds.data?.items ?? [];
  return html`<main id="content" tabindex="-1" class="page connectors">
    <${Problem} error=${kinds.error} onRetry=${kinds.again} />
    ${!id && html`<${Listing} receipt=${receipt} />`}
    ${id === "new" && cards.length > 0 && html`<${ConnectorForm} cards=${cards} onSaved=${open} />`}
    ${id && id !== "new" && html`<${ConnectorPage} key=${id} id=${id} cards=${cards} secret=${made?.id === id ? made.webhook_secret : ""} onDeleted=${ended} />`}
  </main>`;
}

function Listing({ receipt }) {
  const connectors = useLoaded(() => allOf("/v1/connectors"), []);
  useEvery(LOOK_EVERY_MS, connectors.again, []);
  const found = connectors.data;
  return html`
    <h1>${say("connectors.title")}</h1>
    <${LibraryTabs} current="connectors" />
    ${receipt &&
    html`<p class="note" role="status">${say("connectors.deleted", { name: visible(receipt.name), at: moment(receipt.at), count: receipt.documents.deleting ?? 0 })}</p>`}
    <${Problem} error=${connectors.error} onRetry=${connectors.again} />
    <p class="row"><a class="button" href="#/library/connectors/new" data-first-field><${Icon} name="plus" />${say("connectors.new")}</a></p>
    ${found && !found.length && html`<p class="hint">${say("connectors.none")}</p>`}
    ${found?.length > 0 &&
    html`<table class="list">
      <thead><tr><th>${say("connectors.name")}</th><th>${say("library.status")}</th><th class="num wide">${say("operate.documents")}</th><th class="wide">${say("connectors.next")}</th></tr></thead>
      <tbody>
        ${found.map(
          (one) => html`<tr key=${one.id}>
            <td><a href=${`#/library/connectors/${one.id}`} dir="auto">${visible(one.name)}</a>
              <small class="under">${sayOr(`kind.${one.kind}`, one.kind)}</small>
              ${one.problem && html`<p class="bad under" dir="auto"><${Told} text=${one.problem} /></p>`}</td>
            <td><${ConnectorMark} status=${one.status} /></td>
            <td class="num wide">${number(Object.values(one.documents).reduce((all, count) => all + count, 0))}</td>
            <td class="wide"><small>${one.next_sync_at ? moment(one.next_sync_at) : "–"}</small></td>
          </tr>`,
        )}
      </tbody>
    </table>`}
  `;
}
