// Ask: the conversations, one of them with its questions and answers, and a source beside it.

import { useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { inField } from "../app_keys.js";
import { get, post, withQuery } from "../api.js";
import { MOST_FILES, attachTo, attachments } from "../attachments.js";
import { conversation } from "../conversations.js";
import { NEW, draftOf, keepDraft } from "../drafts.js";
import { html } from "../html.js";
import { Icon, Problem, useLoaded } from "../parts.js";
import { say } from "../strings.js";
import { filesOf } from "../uploads.js";
import { Attached } from "./attached.js";
import { Exchange, sourcesOf } from "./exchange.js";
import { SampleOffer, SampleQuestions } from "./samples.js";
import { SourcePanel } from "./source.js";
import { Threads } from "./threads.js";

const LONGEST_TITLE = 80;
/** The engine that there is wherever a chat model is configured. */
const WITH_MODEL = "footnote-pipeline";

export function AskView({ path: [threadId, messageId] }) {
  const [, redraw] = useReducer((count) => count + 1, 0);
  const [open, setOpen] = useState(null);
  const [error, setError] = useState(null);
  const [asked, setAsked] = useState(0);
  const talk = threadId ? conversation(threadId) : null;
  const draft = useDraft(threadId ?? NEW);
  const opener = useRef(null);
  /** The answer that was waited for here. Screen readers say no more than what changes in a region that was there. */
  const heard = useRef(null);
  const kept = useRef(new Map());
  const files = attachments(threadId ?? NEW);
  const [hovered, setHovered] = useState(false);
  const [fileError, setFileError] = useState(null);

  // What is told or typed in the frame between would be missed.
  useLayoutEffect(() => {
    kept.current.clear();
    heard.current = null;
    setOpen(null);
    setError(null);
    setFileError(null);
    if (!talk) return undefined;
    talk.load();
    return talk.onChange(redraw);
  }, [threadId]);
  useLayoutEffect(() => files.onChange(redraw), [files]);

  const exchanges = talk?.exchanges ?? [];
  const live = exchanges.find((one) => one.live);
  if (live) heard.current = live.key;
  const done = exchanges.some((one) => one.key === heard.current && one.answer.status === "completed");

  async function ask(text) {
    if (!text.trim() || live || files.busy) return;
    setError(null);
    try {
      const target = talk ?? conversation((await post("/v1/threads", { title: titleOf(text) })).id);
      if (!talk) attachTo(NEW, target.id);
      draft.set("");
      setOpen(null);
      target.ask(text.trim()).then((sent) => {
        if (!sent && !draftOf(target.id)) keepDraft(target.id, text.trim());
        redraw();
      });
      setAsked((count) => count + 1);
      if (!talk) location.hash = `#/ask/${target.id}`;
      else redraw();
    } catch (problem) {
      setError(problem);
    }
  }

  /** What was typed in a conversation that is gone begins another one. */
  function goOn() {
    keepDraft(NEW, [draftOf(NEW), draft.text].filter(Boolean).join("\n"));
    keepDraft(threadId, "");
    location.hash = "#/ask";
  }

  function attach(chosen) {
    setFileError(files.add(chosen) ? null : { sentence: say("attached.most", { most: MOST_FILES }) });
  }

  const hover = (event) => {
    if (!event.dataTransfer.types.includes("Files")) return; // text that is dragged into the field
    event.preventDefault();
    setHovered(true);
  };

  async function drop(event) {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setHovered(false);
    attach((await filesOf(event.dataTransfer, "")).map(({ file }) => file));
  }

  function edit(text) {
    draft.set(text);
    document.querySelector("[data-first-field]")?.focus();
  }

  /** Back to what opened the source: who came by a key has opened it by none, and goes on at its number. */
  function close() {
    setOpen(null);
    const from = opener.current?.isConnected ? opener.current : document.querySelector('.exchange [aria-expanded="true"][data-n]');
    (from ?? document.querySelector("[data-first-field]"))?.focus();
  }

  function openSource(exchange, n, from) {
    opener.current = from ?? opener.current;
    setOpen({ key: exchange.key, n });
  }

  /** The source before or after the one that is open, or the first of the last answer. */
  function step(by) {
    const at = exchanges.find((one) => one.key === open?.key) ?? exchanges.findLast((one) => sourcesOf(one.answer).length);
    if (!at) return;
    const numbers = sourcesOf(at.answer).map(({ n }) => n);
    const now = open ? numbers.indexOf(open.n) : -1;
    const next = open ? now + by : by > 0 ? 0 : numbers.length - 1;
    if (numbers[next] !== undefined) setOpen({ key: at.key, n: numbers[next] });
  }

  useLayoutEffect(() => {
    const pressed = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      if (event.key === "Escape" && open) close();
      else if (inField(event.target)) return;
      else if (event.key === "j") step(1);
      else if (event.key === "k") step(-1);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  });

  const opened = open && exchanges.find((one) => one.key === open.key);
  const acts = useRef();
  acts.current = { ask, edit, openSource };
  const threads = useMemo(() => html`<${Threads} current=${threadId} />`, [threadId]);

  /** An exchange as it is drawn. While another one grows, it is as it was, and costs nothing. */
  function drawn(one, i) {
    const last = i === exchanges.length - 1;
    const target = one.answer.messageId !== null && one.answer.messageId === messageId;
    const openNumber = opened === one ? open.n : null;
    const state = [one, one.answer, one.live, one.waiting, one.error, last, asked, target, openNumber];
    const before = kept.current.get(one.key);
    if (before?.state.every((value, at) => value === state[at])) return before.node;
    const node = html`<${Exchange} key=${one.key} exchange=${one} last=${last} asked=${asked} target=${target}
      openNumber=${openNumber} onOpen=${(n, from) => acts.current.openSource(one, n, from)}
      onAgain=${() => acts.current.ask(one.question)} onEdit=${() => acts.current.edit(one.question)} />`;
    kept.current.set(one.key, { state, node });
    return node;
  }

  return html`
    ${threads}
    <main id="content" tabindex="-1" class=${`ask${opened ? " with-source" : ""}${hovered ? " over" : ""}`}
      onDragOver=${hover} onDragLeave=${(e) => e.relatedTarget ?? setHovered(false)} onDrop=${drop}>
      <div class="talk">
        ${threadId ? html`<h1 class="hidden">${say("nav.ask")}</h1>` : html`<${Welcome} onAsk=${ask} />`}
        ${talk?.gone && html`<${Gone} onNew=${goOn} />`}
        ${talk?.error && !talk.gone && html`<${Problem} error=${talk.error} onRetry=${() => talk.load()} />`}
        ${talk?.loading && !exchanges.length && html`<p class="hint" role="status">${say("common.loading")}</p>`}
        ${messageId && exchanges.length > 0 && !exchanges.some((one) => one.answer.messageId === messageId) && html`<p class="note" role="status">${say("ask.noMessage")}</p>`}
        ${exchanges.map(drawn)}
      </div>
      <p class="hidden" role="status">${live ? say("answer.working") : done ? say("answer.done") : ""}</p>
      <${Problem} error=${error} onRetry=${() => ask(draft.text)} />
      <${Composer} draft=${draft} further=${exchanges.length > 0} live=${live} files=${files} fileError=${fileError}
        onFiles=${attach} onRemove=${(one) => files.remove(one).then(() => setFileError(null), setFileError)}
        onAsk=${() => ask(draft.text)} onStop=${() => talk.stop(live).catch(setError)} />
    </main>
    ${opened &&
    html`<${SourcePanel} key=${`${open.key}:${open.n}`} path=${withQuery(`/v1/conversations/${threadId}/citations/${open.n}`, { turn_id: opened.turnId })} exchange=${opened} n=${open.n}
      onClose=${close} onStep=${step} />`}
  `;
}

const Gone = ({ onNew }) => html`<p class="problem" role="alert">${say("ask.gone")} <button class="link" onClick=${onNew}>${say("ask.goneNew")}</button></p>`;

function Welcome({ onAsk }) {
  const { data: stats } = useLoaded((signal) => get("/v1/documents:stats", { signal }), []);
  const { data: models } = useLoaded((signal) => get("/v1/models", { signal }), []);
  const empty = stats && !Object.values(stats.counts).some(Boolean);
  return html`<section class="welcome">
    <h1>${say("ask.title")}</h1>
    <p class="lead">${say("ask.lead")}</p>
    ${empty && html`<p class="note">${say("ask.noDocuments")} <a href="#/library">${say("ask.toLibrary")}</a>.</p><${SampleOffer} />`}
    ${stats && !empty && html`<${SampleQuestions} onAsk=${onAsk} withTour />`}
    ${models && !models.data.some(({ id }) => id === WITH_MODEL) && html`<p class="note">${say("ask.noModel")}</p>`}
  </section>`;
}

function Composer({ draft, further, live, files, fileError, onFiles, onRemove, onAsk, onStop }) {
  const field = useRef();
  const chooser = useRef();
  const take = (event) => {
    onFiles([...event.target.files]);
    event.target.value = "";
  };
  useEffect(() => {
    field.current.style.height = "auto";
    field.current.style.height = `${Math.min(field.current.scrollHeight, innerHeight / 3)}px`;
  }, [draft.text]);
  const pressed = (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    onAsk();
  };
  const placeholder = say(further ? "ask.more" : "ask.placeholder");
  return html`<form class="composer" onSubmit=${(e) => (e.preventDefault(), onAsk())}>
    <${Attached} files=${files.files} error=${fileError} onRemove=${onRemove} onRetry=${(one) => files.retry(one)} />
    <button type="button" class="quiet clip" aria-label=${say("attached.choose")} title=${say("attached.choose")} onClick=${() => chooser.current.click()}><${Icon} name="clip" /></button>
    <input ref=${chooser} type="file" multiple hidden aria-label=${say("attached.choose")} onChange=${take} />
    <textarea ref=${field} data-first-field rows="1" dir="auto" placeholder=${placeholder} aria-label=${placeholder}
      aria-describedby="ask-hint" value=${draft.text} onInput=${(e) => draft.set(e.target.value)} onKeyDown=${pressed} />
    ${live
      ? html`<button type="button" class="round" onClick=${onStop} aria-label=${say("ask.stop")} title=${say("ask.stop")}><${Icon} name="stop" /></button>`
      : html`<button class="round" disabled=${!draft.text.trim() || files.busy} aria-label=${say("ask.send")} title=${say("ask.send")}><${Icon} name="send" /></button>`}
    <p id="ask-hint" class=${files.busy ? "hint waits" : "hint"} role="status">${say(files.busy ? "attached.wait" : "ask.hint")}</p>
  </form>`;
}

/** What is being typed, by the name of its draft. */
function useDraft(name) {
  const [, redraw] = useReducer((count) => count + 1, 0);
  return {
    text: draftOf(name),
    set(text) {
      keepDraft(name, text);
      redraw();
    },
  };
}

function titleOf(text) {
  const line = text.trim().replace(/\s+/g, " ");
  return line.length <= LONGEST_TITLE ? line : `${line.slice(0, LONGEST_TITLE - 1).replace(/\s+\S*$/, "")}…`;
}
