// Library: what there is, by folder, and how it comes in.

import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import { allOf, get, post, remove, withQuery } from "../api.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Badge, Fault, Icon, Problem, Reason, Sure, WORKING, useEvery, useLoaded } from "../parts.js";
import { ago, bytes, duration, number, say } from "../strings.js";
import { chosen, clearUploads, filesOf, mayHelp, onUploads, over, rateOf, retryUpload, upload, uploads } from "../uploads.js";
import { ConnectorsView } from "./connectors.js";
import { DocumentView } from "./document.js";
import { LibraryTabs } from "./library_tabs.js";
import { Receipt } from "./receipt.js";
import { SampleOffer, SampleQuestions } from "./samples.js";

const STATUSES = ["queued", "extracting", "chunking", "embedding", "indexing", "indexed", "failed"];
const LOOK_EVERY_MS = 4000;
const SHOWN_UPLOADS = 200;

export function LibraryView({ path: [kind, ...rest] }) {
  if (kind === "document" && rest[1] === "changes") return html`<${DocumentView} key=${rest[0]} id=${rest[0]} compared=${rest.slice(2, 4)} />`;
  if (kind === "document") return html`<${DocumentView} key=${rest[0]} id=${rest[0]} chunkId=${rest[1]} />`;
  if (kind === "connectors") return html`<${ConnectorsView} path=${rest} />`;
  return html`<${Listing} folder=${kind === "folder" ? `/${rest.join("/")}` : ""} />`;
}

function Listing({ folder }) {
  const [words, setWords] = useState("");
  const [status, setStatus] = useState("");
  const [doomed, setDoomed] = useState(null);
  const [receipt, setReceipt] = useState(null);
  const [error, setError] = useState(null);
  const [hovered, setHovered] = useState(false);
  const [pages, setPages] = useState({ items: [], next: undefined });
  const folders = useLoaded(() => allOf("/v1/folders"), []);
  const query = { folder: folder || undefined, q: words.trim(), status, limit: 100 };
  const address = withQuery("/v1/documents", query);
  const first = useLoaded((signal) => get(address, { signal }), [address]);
  const [, redraw] = useReducer((count) => count + 1, 0);
  useLayoutEffect(() => onUploads(redraw), []);
  useEffect(() => first.data && setPages({ items: first.data.items, next: first.data.next_cursor }), [first.data]);

  const ended = uploads.filter(over).length;
  useEffect(() => {
    if (ended) first.again();
    if (ended) folders.again();
  }, [ended]);
  const working = pages.items.some((one) => WORKING.has(one.status));
  useEvery(working ? LOOK_EVERY_MS : 0, async () => {
    const open = pages.items.filter((one) => WORKING.has(one.status)).map(({ id }) => id);
    const { items } = await post("/v1/documents:lookup", { ids: open.slice(0, 200) }).catch(() => ({ items: [] }));
    const fresh = new Map(items.map((one) => [one.id, one]));
    if (items.length) setPages((last) => ({ ...last, items: last.items.map((one) => fresh.get(one.id) ?? one) }));
  }, [address, pages.items.length]);

  async function more() {
    try {
      const page = await get(withQuery("/v1/documents", { ...query, cursor: pages.next }));
      setPages({ items: [...pages.items, ...page.items], next: page.next_cursor });
    } catch (problem) {
      setError(problem);
    }
  }

  async function drop(event) {
    event.preventDefault();
    setHovered(false);
    upload(await filesOf(event.dataTransfer, folder));
  }

  async function end(document) {
    setDoomed(null);
    try {
      await remove(`/v1/documents/${document.id}`);
      setReceipt(document);
      setPages((last) => ({ ...last, items: last.items.filter(({ id }) => id !== document.id) }));
    } catch (problem) {
      setError(problem);
    }
  }

  async function retry(document) {
    try {
      const fresh = await post(`/v1/documents/${document.id}:retry`);
      setPages((last) => ({ ...last, items: last.items.map((one) => (one.id === fresh.id ? fresh : one)) }));
    } catch (problem) {
      setError(problem);
    }
  }

  return html`<main id="content" tabindex="-1" class=${hovered ? "page library over" : "page library"}
    onDragOver=${(e) => (e.preventDefault(), setHovered(true))} onDragLeave=${(e) => e.relatedTarget ?? setHovered(false)} onDrop=${drop}>
    <h1>${folder ? visible(folder) : say("library.title")}</h1>
    <${LibraryTabs} current="documents" />
    <${Choose} folder=${folder} />
    ${folder && html`<p class="hint">${say("library.folderNames")}</p>`}
    <${Uploads} />
    ${receipt && html`<${Receipt} key=${receipt.id} document=${receipt} />`}
    <div class="library-body">
      <${Folders} folders=${folders.data ?? []} current=${folder} />
      <section>
        <div class="row filters">
          <input type="search" data-first-field placeholder=${say("library.find")} aria-label=${say("library.find")} value=${words} onInput=${(e) => setWords(e.target.value)} />
          <select aria-label=${say("library.status")} value=${status} onChange=${(e) => setStatus(e.target.value)}>
            <option value="">${say("library.anyStatus")}</option>
            ${STATUSES.map((one) => html`<option value=${one}>${say(`status.${one}`)}</option>`)}
          </select>
        </div>
        <${Problem} error=${error ?? first.error} onRetry=${first.again} />
        ${first.data && !pages.items.length && (words || status || !uploads.length) && html`<p class="hint">${say(words || status ? "library.noMatch" : "library.empty")}</p>`}
        ${first.data && !pages.items.length && !words && !status && !folder && !uploads.length && html`<${SampleOffer} />`}
        ${!folder && !words && !status && pages.items.length > 0 && !uploads.some((one) => !over(one)) && html`<${SampleQuestions} key=${ended} />`}
        ${pages.items.length > 0 && html`<${Documents} items=${pages.items} onRetry=${retry} onDelete=${setDoomed} />`}
        ${pages.next && html`<button onClick=${more}>${say("library.more")}</button>`}
      </section>
    </div>
    ${doomed &&
    html`<${Sure} text=${say("library.deleteSure", { title: visible(doomed.title) })} yes=${say("library.delete")} onYes=${() => end(doomed)} onNo=${() => setDoomed(null)} />`}
  </main>`;
}

function Choose({ folder }) {
  const files = useRef();
  const whole = useRef();
  const take = (event) => {
    upload(chosen(event.target.files, folder));
    event.target.value = "";
  };
  return html`<div class="drop">
    <${Icon} name="upload" />
    <p>${say("library.drop")}${" "}
      <button class="link" onClick=${() => files.current.click()}>${say("library.choose")}</button>${" · "}
      <button class="link" onClick=${() => whole.current.click()}>${say("library.chooseFolder")}</button></p>
    <input ref=${files} type="file" multiple hidden aria-label=${say("library.choose")} onChange=${take} />
    <input ref=${whole} type="file" webkitdirectory hidden aria-label=${say("library.chooseFolder")} onChange=${take} />
  </div>`;
}

/** What is on its way, the newest first, with what went wrong and what to do about it. */
function Uploads() {
  const [error, setError] = useState(null);
  if (!uploads.length) return null;
  const done = uploads.filter(over).length;
  const rate = done < uploads.length ? rateOf(uploads) : null;
  const failed = uploads.filter(mayHelp);
  const again = (list) => Promise.all(list.map(retryUpload)).catch(setError);
  return html`<section class="uploads" aria-label=${say("library.uploads")}>
    <header class="row">
      <h2>${say("library.uploads")}</h2>
      <span class="hint" role="status">${say("library.progress", { done, all: uploads.length })}</span>
      ${rate && html`<span class="hint">${say("library.rate", { rate: Math.round(rate.perMinute), left: duration(rate.leftMs) })}</span>`}
      ${failed.length > 1 && html`<button class="quiet" onClick=${() => again(failed)}>${say("library.retryAll")}</button>`}
      ${done === uploads.length && html`<button class="quiet" aria-label=${say("library.close")} onClick=${clearUploads}><${Icon} name="close" /></button>`}
    </header>
    <progress max=${uploads.length} value=${done} aria-label=${say("library.uploads")}></progress>
    <${Problem} error=${error} />
    <ul>
      ${uploads.slice(0, SHOWN_UPLOADS).map(
        (one) => html`<li key=${one.key}>
          <span class="what" dir="auto">${visible(one.folder ? `${one.folder}/${one.name}` : one.name)}</span>
          <${Badge} status=${one.status} />
          ${(one.status === "failed" || one.status === "refused") &&
          html`<p class="bad">${one.error ? html`<${Fault} error=${one.error} />` : one.document.error && html`<${Reason} error=${one.document.error} />`}
            ${mayHelp(one) && html`${" "}<button class="link" onClick=${() => again([one])}>${say("library.retry")}</button>`}</p>`}
        </li>`,
      )}
    </ul>
  </section>`;
}

/** The folders as a tree. Those above the current one and those below it are open. */
function Folders({ folders, current }) {
  const paths = folders.map(({ path }) => path).filter((path) => path !== "/").sort((a, b) => a.localeCompare(b));
  if (!paths.length) return html`<div></div>`;
  const near = (path) => {
    const parent = path.slice(0, path.lastIndexOf("/"));
    return parent === "" || `${current}/`.startsWith(`${parent}/`);
  };
  return html`<nav class="folders" aria-label=${say("library.folders")}>
    <a href="#/library" aria-current=${current ? undefined : "page"}><${Icon} name="library" />${say("library.all")}</a>
    ${paths.filter(near).map((path) => {
      const parts = path.split("/").slice(1);
      return html`<a key=${path} class=${`depth-${Math.min(parts.length - 1, 4)}`} href=${`#/library/folder/${parts.map(encodeURIComponent).join("/")}`}
        aria-current=${path === current ? "page" : undefined}><${Icon} name="folder" /><span dir="auto">${visible(parts[parts.length - 1])}</span></a>`;
    })}
  </nav>`;
}

const Documents = ({ items, onRetry, onDelete }) => html`<table class="list">
  <thead><tr>
    <th>${say("library.name")}</th><th>${say("library.status")}</th>
    <th class="num wide">${say("library.chunks")}</th><th class="num wide">${say("library.size")}</th><th class="wide">${say("library.changed")}</th><th><span class="hidden">${say("library.delete")}</span></th>
  </tr></thead>
  <tbody>
    ${items.map(
      (one) => html`<tr key=${one.id}>
        <td><a href=${`#/library/document/${one.id}`} dir="auto">${visible(one.title)}</a>
          <small class="under" dir="auto">${visible(one.folder === "/" ? one.filename : `${one.folder}/${one.filename}`)}${one.visibility === "private" ? ` · ${say("library.private")}` : ""}</small>
          ${one.error && html`<p class="bad under"><${Reason} error=${one.error} /> ${one.error.retryable && html`<button class="link" onClick=${() => onRetry(one)}>${say("library.retry")}</button>`}</p>`}</td>
        <td><${Badge} status=${one.status} /></td>
        <td class="num wide">${number(one.chunks)}</td><td class="num wide">${bytes(one.size)}</td><td class="wide"><small>${ago(one.updated_at)}</small></td>
        <td class="num"><button class="quiet" aria-label=${`${say("library.delete")}: ${visible(one.title)}`} title=${say("library.delete")} onClick=${() => onDelete(one)}><${Icon} name="trash" /></button></td>
      </tr>`,
    )}
  </tbody>
</table>`;
