// Turns the event stream of a turn into text and pills. It depends on nothing. Types: footnote-citations.d.ts
//
// `fold` is the whole protocol in one pure function: (answer, event) -> answer. `followTurn` and `askQuestion`
// read a stream and resume it. `render` draws an answer as text, `<footnote-answer>` is both in one element.

/** A token, as the server writes it; its group is the number. */
export const TOKEN = /\[citation:([1-9][0-9]{0,8})\]/g;
const TERMINAL = new Map([
  ["message.completed", "completed"],
  ["turn.failed", "failed"],
  ["turn.cancelled", "cancelled"],
]);
const LONGEST_EVENT = 16 * 1024 * 1024;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8000;
const UNFINISHED_TOKEN = /^\[(?:c|ci|cit|cita|citat|citati|citatio|citation|citation:\d{0,9})?$/;
const LONGEST_TOKEN = 20;
// What cannot begin a line. A German sentence closes its quotation with the sign that opens an English one.
const PUNCTUATION = /^[\p{Pe}\p{Pf}\p{Po}\p{Pd}\u201c]{1,8}/u;
const LONGEST_HELD_WORD = 16;
const MOST_HELD_PILLS = 3;
const BLANK_LINES = /\n{2,}/g;
/** So much of a long paragraph is looked at for a place from which on it is drawn anew when it grows. */
const OPEN_SIGNS = 1000;
// Places where nothing is held together: a number holds the word before it and the signs behind it.
const BETWEEN_WORDS = / (?=[^\s[\p{M}])/u;
const WITHOUT_SPACES = /[^[\]]{9}(?=[^[\]\p{M}][^[\]]{19})/u;
// Controls, and marks that change the order in which a line is read. Tab and line feed stay.
const SIGNS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** Text with control characters and overrides of the reading order as signs, each one sign long. */
export function visible(text) {
  return text.replace(SIGNS, (sign) => {
    const code = sign.charCodeAt(0);
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "\u2421" : "\ufffd";
  });
}

/** The text cut at its tokens: `{text}` and `{n}` in order. */
export function pieces(text) {
  const found = [];
  let done = 0;
  for (const token of text.matchAll(TOKEN)) {
    if (token.index > done) found.push({ text: text.slice(done, token.index) });
    found.push({ n: Number(token[1]) });
    done = token.index + token[0].length;
  }
  if (done < text.length) found.push({ text: text.slice(done) });
  return found;
}

/** What a pill shows on hover: title, heading and page. Empty where the reader may not see the source. */
export function label(entry) {
  if (!entry || entry.status) return "";
  const { title = "", source = "", heading_path: headings = [], page_start: page, page_end: last } = entry.display;
  const heading = headings[headings.length - 1];
  const pages = page == null ? "" : last != null && last !== page ? `p. ${page}–${last}` : `p. ${page}`;
  const parts = [title || source, heading === title ? "" : heading, pages];
  return visible(parts.filter(Boolean).join(" · "));
}

/** An answer of which nothing is known yet. */
export function emptyAnswer() {
  return {
    status: "waiting",
    turnId: null,
    threadId: null,
    messageId: null,
    seq: 0,
    text: "",
    entries: {},
    steps: [],
    verdicts: [],
    verification: null,
    compliance: null,
    usage: null,
    cut: null,
    problem: null,
  };
}

/** The answer after one event. Events that it has had already change nothing. */
export function fold(answer, event) {
  const { type, data } = event;
  const ended = TERMINAL.get(type);
  if (!ended && event.seq <= answer.seq) return answer;
  const next = { ...answer, seq: Math.max(answer.seq, event.seq), turnId: event.turn_id };
  if (ended) return { ...next, ...closing(ended, data, answer) };
  if (next.status === "waiting") next.status = "running";
  switch (type) {
    case "turn.started":
      return { ...next, threadId: data.thread_id, messageId: data.message_id };
    case "progress":
      return { ...next, steps: withProgress(answer.steps, data) };
    case "tool.started":
      return { ...next, steps: [...answer.steps, { kind: "tool", ...data, done: false }] };
    case "tool.finished":
      return { ...next, steps: withResult(answer.steps, data) };
    case "approval.needed":
      return { ...next, steps: [...answer.steps.filter((s) => s.call_id !== data.call_id), { kind: "approval", ...data }] };
    case "citation":
      return { ...next, entries: { ...answer.entries, [data.entry.n]: { origin: data.origin, ...data.entry } } };
    case "text.delta":
      return { ...next, text: answer.text + data.text };
    case "text.replaced":
      return { ...next, text: data.text, entries: byNumber(data.citations) };
    case "verification":
      return { ...next, verdicts: [...answer.verdicts, data] };
    case "usage":
      return { ...next, usage: data };
    default:
      return next;
  }
}

function closing(status, data, answer) {
  return {
    status,
    text: data.text ?? answer.text,
    entries: data.citations ? byNumber(data.citations) : answer.entries,
    messageId: data.message_id ?? answer.messageId,
    verification: data.verification ?? null,
    compliance: data.compliance ?? null,
    cut: data.cut ?? null,
    problem: data.problem ?? null,
  };
}

const byNumber = (entries) => Object.fromEntries((entries ?? []).map((entry) => [entry.n, entry]));

function withProgress(steps, data) {
  const last = steps[steps.length - 1];
  const same = last?.kind === "progress" && last.label === data.label && last.agent === data.agent;
  return same ? steps : [...steps, { kind: "progress", ...data }];
}

function withResult(steps, data) {
  const at = steps.findIndex((s) => s.kind === "tool" && !s.done && s.tool === data.tool && s.agent === data.agent);
  const result = { kind: "tool", ...steps[at], ...data, done: true };
  return at < 0 ? [...steps, result] : steps.map((step, i) => (i === at ? result : step));
}

/** The parser of server-sent events: give it text as it comes, it gives whole events. */
export class EventParser {
  #rest = "";
  #id = "";
  #data = [];

  feed(text) {
    this.#rest += text;
    if (this.#rest.length > LONGEST_EVENT) throw new StreamBroken("An event of the stream is too long.");
    const events = [];
    if (!/[\r\n]/.test(text)) return events; // a long line in many pieces is looked through once
    let done = 0;
    for (const line of this.#rest.matchAll(/([^\r\n]*)(?:\r\n|\n|\r(?!$))/g)) {
      done = line.index + line[0].length;
      const event = this.#line(line[1]);
      if (event) events.push(event);
    }
    this.#rest = this.#rest.slice(done);
    return events;
  }

  #line(line) {
    if (line === "") {
      const data = this.#data;
      this.#data = [];
      return data.length ? { id: this.#id, event: JSON.parse(data.join("\n")) } : null;
    }
    const [, name, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    if (name === "id") this.#id = value;
    if (name === "data") this.#data.push(value);
    return null;
  }
}

/** The server refuses: `status` of HTTP, and its problem document. To ask again changes nothing. */
export class Refused extends Error {
  constructor(status, problem) {
    super(problem?.detail || `HTTP ${status}`);
    this.name = "Refused";
    this.status = status;
    this.problem = problem ?? {};
  }
}

/** The stream is not what it should be, and would not be the next time. */
export class StreamBroken extends Error {}

/** The events of a response, as they come. An event that was cut in two is left out. */
export async function* readEvents(response) {
  const parser = new EventParser();
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield* parser.feed(value);
    }
  } finally {
    reader.cancel().catch(() => undefined);
  }
}

/** Ask in a thread and read the answer to its end. Resolves with the answer. */
export async function askQuestion(options) {
  const { threadId, text, settings, mentions, preset, idempotencyKey = crypto.randomUUID() } = options;
  const body = JSON.stringify({ text, stream: true, settings, mentions, preset });
  const send = () =>
    request(options, `/v1/threads/${encodeURIComponent(threadId)}/turns`, {
      method: "POST",
      body,
      headers: { "Content-Type": "application/json", "Idempotency-Key": idempotencyKey },
    });
  const response = await persistently(options, send);
  return follow(options, response.headers.get("Footnote-Turn-Id"), response);
}

/** Read a turn to its end, whoever began it. Resolves with the answer. */
export function followTurn(options) {
  return follow(options, options.turnId, null);
}

async function follow(options, turnId, first) {
  const { onAnswer = () => undefined, signal } = options;
  let answer = { ...(options.answer ?? emptyAnswer()), turnId };
  let lastId = options.lastEventId ?? "";
  let response = first;
  onAnswer(answer);
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    response ??= await persistently(options, () =>
      request(options, `/v1/streams/${encodeURIComponent(turnId)}`, {
        headers: lastId ? { "Last-Event-ID": lastId } : {},
      }),
    );
    try {
      for await (const { id, event } of readEvents(response)) {
        lastId = id || lastId;
        pause = FIRST_PAUSE_MS;
        answer = fold(answer, event);
        onAnswer(answer);
        if (TERMINAL.has(event.type)) return answer;
      }
    } catch (error) {
      if (signal?.aborted || error instanceof SyntaxError || error instanceof StreamBroken) throw error;
    }
    response = null;
    options.onWait?.(pause);
    await sleep(pause, signal);
  }
}

/** Sends until there is an answer. A refusal that names no time to come back ends it. */
async function persistently(options, send) {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    let wait = pause;
    try {
      const response = await send();
      if (response.ok) return response;
      const problem = await response.json().catch(() => null);
      const after = Number(response.headers.get("Retry-After"));
      if (response.status !== 503 && response.status !== 429) throw new Refused(response.status, problem);
      wait = Math.max(pause, after * 1000 || 0);
    } catch (error) {
      if (options.signal?.aborted || error instanceof Refused) throw error;
    }
    options.onWait?.(wait);
    await sleep(wait, options.signal);
  }
}

function request({ url = "", key, signal, fetch = globalThis.fetch }, path, { headers, ...rest }) {
  return fetch(url + path, { ...rest, signal, headers: { ...headers, Authorization: `Bearer ${key}` } });
}

function sleep(ms, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal?.aborted) stop();
    else signal?.addEventListener("abort", stop, { once: true });
  });
}

/** The text of an answer as far as it can be shown: a token of which half has come waits for its other half. */
export function shownText({ text, status }) {
  if (status !== "running" && status !== "waiting") return text;
  const last = text.lastIndexOf("[");
  const open = last >= 0 && text.length - last < LONGEST_TOKEN && UNFINISHED_TOKEN.test(text.slice(last));
  return open ? text.slice(0, last) : text;
}

/**
 * Draws the answer as paragraphs of text with pills. What has been drawn is left as it is, so that a text which
 * grows costs what it grows by. A pill that is clicked opens what its number stands for by then, which the closing
 * event may have changed.
 */
export function render(element, answer, { onOpen = () => undefined } = {}) {
  const drawn = (element.footnoteDrawn ??= { text: "", paragraphs: [], open: FIRST, entries: {}, used: new Set() });
  const former = drawn.entries;
  Object.assign(drawn, { answer, onOpen, entries: answer.entries });
  if (former !== answer.entries) relabel(element, drawn, former);
  const text = shownText(answer);
  let open = text.startsWith(drawn.text) ? drawn.open : FIRST;
  drawn.text = text;
  for (;;) {
    if (open.from === open.start) open = paragraphAt(open.index, open.start, text);
    BLANK_LINES.lastIndex = open.from;
    const gap = BLANK_LINES.exec(text);
    const end = gap?.index ?? text.length;
    const blank = open.from === open.start && !text.slice(open.start, end).trim();
    if (!blank) open = drawParagraph(element, drawn, open, end);
    drawn.open = open;
    const next = open.index + (blank ? 0 : 1);
    if (!gap) return drawn.paragraphs.splice(next).forEach((left) => left.element.remove());
    open = paragraphAt(next, BLANK_LINES.lastIndex, text);
  }
}

/** A paragraph that may grow: its number, where it begins, and up to where it is sealed, with its last sealed node. */
const FIRST = { index: 0, start: 0, from: 0, seal: null };

/** The blank lines before a paragraph may have come in two pieces. */
function paragraphAt(index, at, text) {
  let start = at;
  while (at > 0 && text[start] === "\n") start += 1;
  return { index, start, from: start, seal: null };
}

/** Draws a paragraph, or what is new of it. Returns it, sealed further where it is long. */
function drawParagraph(element, drawn, open, end) {
  const { index, start } = open;
  let { from, seal } = open;
  const whole = drawn.text.slice(start, end);
  const known = drawn.paragraphs[index];
  if (known?.text === whole) return open;
  const paragraph = known?.element ?? element.appendChild(document.createElement("p"));
  paragraph.removeAttribute("dir"); // or browsers would look through all of it at each step
  while (paragraph.lastChild !== seal) paragraph.lastChild.remove();
  const sealed = sealedEnd(drawn.text, from, end);
  if (sealed > from) {
    paragraph.append(drawnPieces(drawn.text.slice(from, sealed), drawn));
    [from, seal] = [sealed, paragraph.lastChild];
  }
  paragraph.append(drawnPieces(drawn.text.slice(from, end), drawn));
  paragraph.dir = "auto";
  drawn.paragraphs[index] = { element: paragraph, text: whole };
  return { index, start, from, seal };
}

/** Up to where a long paragraph will not change: before a word that stands far from its end, and behind a word. */
function sealedEnd(text, from, end) {
  if (end - from < 3 * OPEN_SIGNS) return from;
  const at = end - 2 * OPEN_SIGNS;
  const place = text.slice(at, at + OPEN_SIGNS);
  const found = BETWEEN_WORDS.exec(place) ?? WITHOUT_SPACES.exec(place);
  return found ? at + found.index + found[0].length : from;
}

function drawnPieces(part, drawn) {
  const fragment = document.createDocumentFragment();
  for (const { text, n } of pieces(visible(part))) {
    if (n === undefined) fragment.append(text);
    else fragment.append(pill(drawn.entries[n], n, () => drawn.onOpen(drawn.entries[n] ?? { n, status: "unknown" })));
    if (n !== undefined) drawn.used.add(n);
  }
  for (const button of fragment.querySelectorAll(".footnote-pill")) hold(button).style.whiteSpace = "nowrap";
  return fragment;
}

/** Says the pills that are drawn anew, where what they stand for has changed. */
function relabel(element, { entries, used }, former) {
  const changed = [...used].filter((n) => entries[n] !== former[n]);
  if (!changed.length) return;
  for (const button of element.querySelectorAll(".footnote-pill")) dress(button, entries[button.dataset.n]);
}

/**
 * Keeps a pill on the line of the word before it, and the full stop behind it on the line of the pill. Browsers
 * may break a line at both sides of a button, whatever stands there. Pills are held in their order. Returns the
 * element that holds them, of the class `footnote-held`; the page gives that `white-space: nowrap`.
 */
export function hold(button, punctuation = PUNCTUATION) {
  const before = button.previousSibling;
  const joins = before?.className === "footnote-held" && before.querySelectorAll("button").length < MOST_HELD_PILLS;
  const held = joins && before.lastChild.nodeType !== Node.TEXT_NODE ? before : document.createElement("span");
  if (held !== before) {
    held.className = "footnote-held";
    const word = before?.nodeType === Node.TEXT_NODE ? lastWord(before.data) : "";
    button.replaceWith(held);
    if (word) held.append(before.splitText(before.data.length - word.length));
  }
  held.append(button);
  const after = held.nextSibling;
  const found = after?.nodeType === Node.TEXT_NODE && punctuation.exec(after.data);
  if (found) {
    after.splitText(found[0].length);
    held.append(after);
  }
  return held;
}

/** What of a text has to stay with what follows: its last word and a space, or the last sign of a very long one. */
function lastWord(text) {
  const end = text.slice(-LONGEST_HELD_WORD - 2);
  const [word] = /\S*[ \u00a0\u202f]?$/.exec(end);
  return word.length <= LONGEST_HELD_WORD + 1 ? word : /(?:\P{M}\p{M}*)?[ \u00a0\u202f]?$/u.exec(end)[0];
}

/** The button that stands for a citation. */
export function pill(entry, n, onOpen) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "footnote-pill";
  button.dataset.n = String(n);
  button.textContent = String(n);
  dress(button, entry);
  button.addEventListener("click", () => onOpen(entry ?? { n, status: "unknown" }));
  return button;
}

function dress(button, entry) {
  const title = label(entry);
  button.title = title;
  button.setAttribute("aria-label", title ? `${button.dataset.n}: ${title}` : button.dataset.n);
  if (entry?.status) button.dataset.status = entry.status;
  else delete button.dataset.status;
}

const STYLE = `
:host { display: block }
p { margin: 0 0 .8em; white-space: pre-wrap; overflow-wrap: anywhere }
.footnote-pill { font: 600 .72em/1 system-ui, sans-serif; vertical-align: super; cursor: pointer; border: 0;
  padding: .15em .4em; margin: 0 .1em; border-radius: .4em; color: var(--footnote-ink, #9c3a1e);
  background: var(--footnote-ground, #9c3a1e1a) }
.note { color: GrayText; font-size: .9em }
`;

/**
 * `<footnote-answer>`: set `key`, call `ask(threadId, text)` or `follow(turnId)`. The attribute `url` names the
 * server where it is another. It dispatches `footnote-open` with the entry when a pill is clicked.
 */
export class FootnoteAnswer extends (globalThis.HTMLElement ?? class {}) {
  #stop = null;
  key = "";

  ask(threadId, text) {
    return this.#run((options) => askQuestion({ ...options, threadId, text }));
  }

  follow(turnId) {
    return this.#run((options) => followTurn({ ...options, turnId }));
  }

  disconnectedCallback() {
    this.#stop?.abort();
  }

  async #run(read) {
    this.#stop?.abort();
    const stop = (this.#stop = new AbortController());
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const style = new CSSStyleSheet();
    style.replaceSync(STYLE);
    root.adoptedStyleSheets = [style];
    const text = document.createElement("div");
    const note = document.createElement("p");
    note.className = "note";
    note.setAttribute("role", "status");
    root.replaceChildren(text, note);
    const onOpen = (entry) =>
      this.dispatchEvent(new CustomEvent("footnote-open", { detail: entry, bubbles: true, composed: true }));
    const onAnswer = (answer) => {
      const step = answer.steps[answer.steps.length - 1];
      note.textContent = answer.status === "running" && !answer.text ? visible(step?.label ?? "") : "";
      render(text, answer, { onOpen });
    };
    try {
      return await read({ url: this.getAttribute("url") ?? "", key: this.key, signal: stop.signal, onAnswer });
    } catch (error) {
      if (!stop.signal.aborted) note.textContent = error.message;
      throw error;
    }
  }
}

if (globalThis.customElements && !customElements.get("footnote-answer")) {
  customElements.define("footnote-answer", FootnoteAnswer);
}
