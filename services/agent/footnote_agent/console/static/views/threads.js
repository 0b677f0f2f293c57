// The conversations of the reader, the latest first, to be found by a word of their title.

import { useEffect, useState } from "preact/hooks";
import { allOf, remove } from "../api.js";
import { endAttachments } from "../attachments.js";
import { forget } from "../conversations.js";
import { visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { Icon, Problem, Sure, useLoaded } from "../parts.js";
import { ago, say } from "../strings.js";

export function Threads({ current }) {
  const [words, setWords] = useState("");
  const [doomed, setDoomed] = useState(null);
  const [error, setError] = useState(null);
  const [shown, setShown] = useState(false);
  const threads = useLoaded(() => allOf("/v1/threads"), [current]);
  useEffect(() => setShown(false), [current]);
  useEffect(() => {
    const back = () => document.visibilityState === "visible" && threads.again();
    document.addEventListener("visibilitychange", back);
    return () => document.removeEventListener("visibilitychange", back);
  }, []);
  const wanted = words.trim().toLowerCase();
  const found = (threads.data ?? []).filter(({ title }) => title.toLowerCase().includes(wanted));

  async function end(thread) {
    setDoomed(null);
    try {
      await remove(`/v1/threads/${thread.id}`);
      forget(thread.id);
      await endAttachments(thread.id);
      threads.set(threads.data.filter(({ id }) => id !== thread.id));
      if (thread.id === current) location.hash = "#/ask";
    } catch (problem) {
      setError(problem);
    }
  }

  return html`<aside class=${shown ? "threads shown" : "threads"} aria-label=${say("nav.threads")}>
    <div class="threads-head">
      <a class="new" href="#/ask" aria-current=${current ? undefined : "page"}><${Icon} name="plus" />${say("ask.newThread")}</a>
      <button class="quiet threads-toggle" aria-expanded=${shown} onClick=${() => setShown(!shown)}>${say("nav.threads")}</button>
    </div>
    <div class="threads-body">
      <input type="search" placeholder=${say("ask.filter")} aria-label=${say("ask.filter")} value=${words} onInput=${(e) => setWords(e.target.value)} />
      <${Problem} error=${error ?? threads.error} onRetry=${threads.again} />
      ${threads.data && !found.length && html`<p class="hint">${say(wanted ? "ask.noMatch" : "ask.noThreads")}</p>`}
      <ul>
        ${found.map(
          (thread) => html`<li key=${thread.id}>
            <a href=${`#/ask/${thread.id}`} aria-current=${thread.id === current ? "page" : undefined} dir="auto">
              <span>${visible(thread.title) || say("ask.newThread")}</span><small>${ago(thread.updated_at)}</small>
            </a>
            <button class="quiet" title=${say("ask.delete")} aria-label=${`${say("ask.delete")}: ${visible(thread.title)}`}
              onClick=${() => setDoomed(thread)}><${Icon} name="trash" /></button>
          </li>`,
        )}
      </ul>
    </div>
    ${doomed &&
    html`<${Sure} text=${say("ask.deleteSure")} yes=${say("ask.delete")} onYes=${() => end(doomed)} onNo=${() => setDoomed(null)} />`}
  </aside>`;
}
