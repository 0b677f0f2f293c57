// A document: its text as it was cut into chunks, what is known of it, and what happened to it.

import { useEffect, useState } from "preact/hooks";
import { get, openOriginal, post, remove, withQuery } from "../api.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Badge, Icon, Problem, Reason, Sure, placeOf, readable, useEvery, useLoaded } from "../parts.js";
import { bytes, duration, moment, say } from "../strings.js";
import { Told } from "../told.js";
import { ReadFacts } from "./read_facts.js";
import { Receipt } from "./receipt.js";
import { withoutTitle } from "./source_names.js";
import { Changes, Versions } from "./versions.js";

const LOOK_EVERY_MS = 2000;
const ENDED = new Set(["indexed", "failed", "skipped", "deleted"]);

export function DocumentView({ id, chunkId, compared }) {
  const [error, setError] = useState(null);
  const [asked, setAsked] = useState(false);
  const [deleted, setDeleted] = useState(null);
  const document = useLoaded((signal) => get(`/v1/documents/${id}`, { signal }), [id]);
  const timeline = useLoaded((signal) => get(`/v1/documents/${id}/events`, { signal }), [id, document.data?.status]);
  const versions = useLoaded((signal) => get(`/v1/documents/${id}/versions`, { signal }), [id, document.data?.live_version, document.data?.status]);
  const one = document.data;
  useEvery(one && !ENDED.has(one.status) ? LOOK_EVERY_MS : 0, document.again, [id]);

  async function retry() {
    try {
      document.set(await post(`/v1/documents/${id}:retry`));
    } catch (problem) {
      setError(problem);
    }
  }

  async function reindex() {
    try {
      document.set(await post(`/v1/documents/${id}:reindex`));
    } catch (problem) {
      setError(problem);
    }
  }

  async function end() {
    setAsked(false);
    try {
      await remove(`/v1/documents/${id}`);
      setDeleted(one);
    } catch (problem) {
      setError(problem);
    }
  }

  if (deleted) return html`<main id="content" tabindex="-1" class="page"><${Back} /><${Receipt} document=${deleted} /></main>`;
  if (document.error?.status === 404) {
    return html`<main id="content" tabindex="-1" class="page"><${Back} /><p class="note">${say("document.gone")} ${say("document.goneWhat")}</p></main>`;
  }
  return html`<main id="content" tabindex="-1" class="page document">
    <${Back} />
    <${Problem} error=${document.error ?? error} onRetry=${document.again} />
    ${one &&
    html`<h1 dir="auto">${visible(one.title)}</h1>
      <div class="row under-title">
        <${Badge} status=${one.status} />
        <button class="quiet" onClick=${() => openOriginal(`/v1/documents/${id}/content`, one.filename).catch(setError)}><${Icon} name="file" />${say("document.original")}</button>
        <button class="quiet" onClick=${reindex}><${Icon} name="again" />${say("document.reindex")}</button>
        <button class="quiet" onClick=${() => setAsked(true)}><${Icon} name="trash" />${say("library.delete")}</button>
      </div>
      ${one.summary && html`<p class="summary" dir="auto">${visible(one.summary.text)} <small class="hint">${say(`document.by.${one.summary.made_by}`)}</small></p>`}
      ${one.legal_hold && html`<p class="note">${say("document.hold")}</p>`}
      ${one.error &&
      html`<p class="problem"><${Reason} error=${one.error} /> ${one.error.retryable && html`<button class="link" onClick=${retry}>${say("library.retry")}</button>`}</p>`}
      <div class="document-body">
        ${compared
          ? html`<${Changes} documentId=${id} versions=${versions} before=${compared[0]} after=${compared[1]} />`
          : html`<${Chunks} key=${one.live_version} document=${one} chunkId=${chunkId} />`}
        <aside aria-label=${say("document.facts")}>
          <h2>${say("document.facts")}</h2>
          <${Facts} document=${one} />
          <${ReadFacts} key=${`${one.live_version}:${one.status}`} documentId=${id} />
          <${Versions} documentId=${id} versions=${versions} />
          <h2>${say("document.timeline")}</h2>
          <${Timeline} items=${timeline.data?.items ?? []} />
        </aside>
      </div>
      ${asked &&
      html`<${Sure} text=${say("library.deleteSure", { title: visible(one.title) })} yes=${say("library.delete")} onYes=${end} onNo=${() => setAsked(false)} />`}`}
  </main>`;
}

const Back = () => html`<p class="back"><a href="#/library"><${Icon} name="previous" />${say("document.back")}</a></p>`;

/** The chunks in order. The one that was asked for is looked for first, with its neighbours. */
function Chunks({ document, chunkId }) {
  const [pages, setPages] = useState({ items: [], next: undefined });
  const [error, setError] = useState(null);
  const path = `/v1/documents/${document.id}/chunks`;
  const query = chunkId ? { around: chunkId } : { limit: 50 };
  const first = useLoaded((signal) => get(withQuery(path, query), { signal }), [document.id, chunkId, document.status]);
  useEffect(() => {
    if (first.data) setPages({ items: first.data.items, next: first.data.next_cursor });
  }, [first.data]);
  useEffect(() => {
    if (chunkId) globalThis.document.getElementById(`chunk-${chunkId}`)?.scrollIntoView({ block: "center" });
  }, [pages]);

  async function more() {
    try {
      const page = await get(withQuery(path, { limit: 50, cursor: pages.next }));
      setPages({ items: [...pages.items, ...page.items], next: page.next_cursor });
    } catch (problem) {
      setError(problem);
    }
  }

  let heading = null;
  return html`<section aria-label=${say("document.text")}>
    <${Problem} error=${first.error ?? error} onRetry=${first.again} />
    ${first.data && !pages.items.length && html`<p class="hint">${say("document.noChunks")}</p>`}
    ${chunkId && html`<p class="hint"><a href=${`#/library/document/${document.id}`}>${say("document.text")}</a></p>`}
    ${pages.items.map((chunk) => {
      const place = placeOf({ ...chunk, heading_path: withoutTitle({ title: document.title, heading_path: chunk.heading_path }) });
      const fresh = place !== heading;
      heading = place;
      return html`<article key=${chunk.id} id=${`chunk-${chunk.id}`} class=${chunk.id === chunkId ? "chunk wanted" : "chunk"}>
        <header><span class="n" aria-label=${say("document.chunk", { ordinal: chunk.ordinal + 1 })}>${chunk.ordinal + 1}</span>${fresh && html`<small dir="auto">${visible(place)}</small>`}</header>
        <p class=${`kind-${chunk.kind}`} dir="auto">${readable(chunk.text)}</p>
      </article>`;
    })}
    ${pages.next && !chunkId && html`<button onClick=${more}>${say("library.more")}</button>`}
  </section>`;
}

function Facts({ document: one }) {
  const facts = [
    ["document.kind", one.mime],
    ["library.size", bytes(one.size)],
    ["library.chunks", String(one.chunks)],
    ["document.version", String(one.live_version ?? one.version)],
    ["document.language", one.language],
    ["document.folder", one.folder],
    ["document.visibility", readersOf(one)],
    ["document.added", moment(one.created_at)],
    ["library.changed", moment(one.updated_at)],
  ];
  return html`<dl>
    ${facts.filter(([, value]) => value).map(([name, value]) => html`<div><dt>${say(name)}</dt><dd dir="auto">${visible(value)}</dd></div>`)}
    ${one.connector_id && html`<div><dt>${say("document.connector")}</dt><dd><a href=${`#/library/connectors/${one.connector_id}`}>${say("document.aConnector")}</a></dd></div>`}
  </dl>
  ${one.visibility === "private" && one.folder !== "/" && html`<p class="hint">${say("document.folderName")}</p>`}`;
}

/** Who sees it, in words. Groups are narrower than the visibility. */
function readersOf({ visibility, groups }) {
  if (visibility === "private" || !groups) return say(`document.${visibility}`);
  return groups.length ? say("document.groups", { groups: groups.join(", ") }) : say("document.nobody");
}

const Timeline = ({ items }) => html`<ol class="timeline">
  ${items.map(
    (row) => html`<li key=${row.seq}><${Badge} status=${row.status} />
      <small>${moment(row.at)}${row.duration_ms ? ` · ${duration(row.duration_ms)}` : ""}</small>
      ${row.detail && html`<small dir="auto"><${Told} text=${row.detail} /></small>`}</li>`,
  )}
</ol>`;
