// A question and its answer: what is being done, the text with its pills, the sources, and what was found of them.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { post } from "../api.js";
import { asMarkdown, asPlainText } from "../answer_text.js";
import { reasonOf } from "../conversations.js";
import { TOKEN, label, pieces, pill, shownText, visible } from "../footnote-citations.js";
import { html } from "../html.js";
import { DrawnAnswer } from "../markdown.js";
import { Icon, Problem, placeOf } from "../parts.js";
import { duration, say } from "../strings.js";
import { Told, toldText } from "../told.js";
import { HoverCard } from "./hover_card.js";
import { Share } from "./share.js";
import { withoutTitle } from "./source_names.js";

const MOST_SOURCES = 200;
/** A model that thinks for half a minute without a sign is rare; a person who waits as long has given up. */
const QUIET_AFTER_MS = 30_000;
const LOOK_EVERY_MS = 1000;
const SPACED_TOKEN = new RegExp(`\\s*${TOKEN.source}`, "g");

/** The sources of an answer in the order in which its text names them. */
export function sourcesOf(answer) {
  const numbers = pieces(answer.text).flatMap(({ n }) => (n === undefined ? [] : [n]));
  return [...new Set(numbers)].map((n) => answer.entries[n] ?? { n, status: "unknown", display: {} });
}

/** `foreign`: somebody else's answer, that was shared. Its question can be asked anew and nothing else. */
export function Exchange({ exchange, last, asked, target, openNumber, onOpen, onAgain, onEdit, foreign }) {
  const { answer, live, question } = exchange;
  const whole = useRef();
  useEffect(() => {
    if (target) whole.current.scrollIntoView({ block: "start" });
  }, [target]);
  useEffect(() => {
    if (last && live && asked) whole.current.scrollIntoView({ block: "start", behavior: calm() });
  }, [asked]);
  const quiet = useQuiet(live, answer);
  const ended = !live && answer.status !== "running";
  return html`<article ref=${whole} class=${`exchange${last ? " last" : ""}${target ? " target" : ""}`}>
    <h2 class="question"><span class="hidden">${say("ask.question")}: </span><span dir="auto">${visible(question)}</span></h2>
    <${Steps} answer=${answer} live=${live} />
    <${Approvals} answer=${answer} live=${live} />
    <div role="status">${(quiet || exchange.waiting) && html`<p class="note">${say(exchange.waiting ? "answer.waiting" : "answer.quiet")}</p>`}</div>
    <${AnswerText} answer=${answer} ended=${ended} openNumber=${openNumber} onOpen=${onOpen} />
    ${ended && html`<${Notes} answer=${answer} error=${exchange.error} turnId=${exchange.turnId} />`}
    <${Sources} answer=${answer} openNumber=${openNumber} onOpen=${onOpen} />
    ${ended && html`<${Actions} exchange=${exchange} onAgain=${onAgain} onEdit=${onEdit} foreign=${foreign} />`}
  </article>`;
}

/** Whether nothing has come for so long that somebody who waits wants to know. One timer, however much comes. */
function useQuiet(live, answer) {
  const [quiet, setQuiet] = useState(false);
  const came = useRef({ answer, at: 0 });
  if (came.current.answer !== answer) came.current = { answer, at: Date.now() };
  useEffect(() => {
    setQuiet(false);
    if (!live) return undefined;
    came.current.at = Date.now();
    const timer = setInterval(() => setQuiet(Date.now() - came.current.at >= QUIET_AFTER_MS), LOOK_EVERY_MS);
    return () => clearInterval(timer);
  }, [live]);
  return quiet;
}

const calm = () => (matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth");

/** What was done, as a quiet tree: the step of this moment while it works, all of them on a click afterwards. */
function Steps({ answer, live }) {
  const { steps } = answer;
  if (!steps.length) return live ? html`<p class="steps working">${say("answer.working")}…</p>` : null;
  const now = steps[steps.length - 1];
  if (live && !answer.text) return html`<${Tree} steps=${steps.slice(-4)} live />`;
  return html`<details class="steps">
    <summary>${live ? html`<${Title} step=${now} />` : say("answer.steps", { count: steps.length })}</summary>
    <${Tree} steps=${steps} />
  </details>`;
}

/** What a tool asks before it does something. A question is settled when its tool has gone on. */
function Approvals({ answer, live }) {
  const [settled, setSettled] = useState([]);
  const [error, setError] = useState(null);
  const { steps, turnId } = answer;
  const wentOn = (step, at) => steps.slice(at + 1).some((later) => later.kind === "tool" && later.tool === step.tool);
  const asked = steps.filter((s, at) => s.kind === "approval" && !wentOn(s, at) && !settled.includes(s.call_id));
  if (!live || !asked.length) return null;
  async function settle(step, approve) {
    try {
      await post(`/v1/turns/${turnId}:approve`, { call_id: step.call_id, approve });
      setSettled([...settled, step.call_id]);
      setError(null);
    } catch (failure) {
      setError(failure);
    }
  }
  return asked.map(
    (step) => html`<section class="note" role="group" aria-label=${toldText(step.label)}>
      <p><strong><${Told} text=${step.label} /></strong></p>
      <dl>${Object.entries(step.arguments ?? {}).map(([name, value]) => html`<dt>${visible(name)}</dt><dd dir="auto">${visible(String(value))}</dd>`)}</dl>
      <button onClick=${() => settle(step, true)}>${say("answer.allow")}</button>
      <button class="quiet" onClick=${() => settle(step, false)}>${say("answer.refuse")}</button>
      <${Problem} error=${error} />
    </section>`,
  );
}

const Title = ({ step }) => html`<${Told} text=${step.kind !== "tool" ? step.label : step.summary || step.tool} without=${step.kind !== "tool" ? "*" : ""} />`;

const Tree = ({ steps, live }) => html`<ul class=${live ? "tree working" : "tree"}>
  ${steps.map(
    (step) => html`<li class=${`depth-${Math.min(3, String(step.agent ?? "").split("/").length - 1)}`}>
      <span><${Title} step=${step} /></span>
      ${step.ms !== undefined && html`<small>${duration(step.ms)}</small>`}
      ${step.error && html`<small class="bad"><${Told} text=${step.error} /></small>`}
    </li>`,
  )}
</ul>`;

/** The text. While it streams, what of it is finished is not touched again. */
function AnswerText({ answer, ended, openNumber, onOpen }) {
  const element = useRef();
  const drawn = useRef(null);
  const latest = useRef();
  latest.current = { answer, onOpen, openNumber };
  useLayoutEffect(() => {
    const pillOf = (n) => {
      const { entries } = latest.current.answer;
      const button = pill(entries[n], n, () => latest.current.onOpen(n, button));
      button.removeAttribute("title"); // the card says it
      button.setAttribute("aria-expanded", String(n === latest.current.openNumber));
      return button;
    };
    drawn.current = new DrawnAnswer(element.current, pillOf);
  }, []);
  useLayoutEffect(() => {
    if (ended) {
      const doubtful = answer.verification?.doubtful ?? [];
      drawn.current.finish(answer.text, doubtful, doubtElement);
    } else {
      drawn.current.grow(shownText(answer));
    }
  }, [answer.text, answer.entries, answer.verification, ended]);
  useLayoutEffect(() => {
    for (const button of element.current.querySelectorAll(".footnote-pill")) {
      button.setAttribute("aria-expanded", String(Number(button.dataset.n) === openNumber));
    }
  }, [openNumber]);
  return html`<div class="answer-body">
    <div ref=${element} class="answer-text" aria-busy=${!ended}></div>
    <${HoverCard} within=${element} entries=${answer.entries} />
  </div>`;
}

function doubtElement(doubt) {
  const mark = document.createElement("span");
  mark.className = `doubt ${doubt.verdict}`;
  mark.title = reasonsOf(doubt).join(" ");
  return mark;
}

function reasonsOf({ verdict, better, quotes }) {
  const first = better == null ? say(`doubt.${verdict}`) : say("doubt.better", { n: String(better) });
  const quoted = new Set((quotes ?? []).map((quote) => quote.verdict).filter((kind) => kind !== "verbatim"));
  return [first, ...[...quoted].map((kind) => say(`doubt.${kind}`))];
}

/** What a reader has to be told besides the text. */
function Notes({ answer, error, turnId }) {
  const [reason, setReason] = useState("");
  const failed = answer.status === "failed";
  useEffect(() => {
    if (failed && !error && !answer.problem && turnId) reasonOf(turnId).then(setReason, () => undefined);
  }, [failed]);
  const { verification: found } = answer;
  return html`<div class="notes">
    ${failed && !error && html`<p class="problem">${say("answer.failed")} <${Told} text=${answer.problem?.detail ?? reason} /></p>`}
    <${Problem} error=${error} />
    ${answer.status === "cancelled" && html`<p class="note">${say("answer.stopped")}</p>`}
    ${answer.cut && html`<p class="note">${say(`answer.cut.${answer.cut}`)}</p>`}
    ${found?.status === "skipped" && html`<p class="note">${say("answer.unchecked")}</p>`}
    ${found?.status === "done" && html`<${Checked} found=${found} />`}
  </div>`;
}

function Checked({ found }) {
  const count = found.supported + found.weak + found.unsupported + found.misattributed;
  if (!count) return null;
  const doubts = ["weak", "unsupported", "misattributed"].filter((verdict) => found[verdict]);
  const first = say("answer.checked", { count });
  if (!doubts.length) return html`<p class="checked">${first}: ${say("answer.allSupported")}</p>`;
  return html`<details class="checked">
    <summary>${first}: ${doubts.map((verdict, i) => html`${i ? ", " : ""}<span class=${`key ${verdict}`}>${say(`answer.${verdict}`, { count: found[verdict] })}</span>`)}</summary>
    <ul>
      ${found.doubtful.map(
        (doubt) => html`<li><q dir="auto">${visible(plain(doubt.sentence))}</q> <span class=${`key ${doubt.verdict}`}>${reasonsOf(doubt).join(" ")}</span></li>`,
      )}
    </ul>
  </details>`;
}

const plain = (text) => text.replace(SPACED_TOKEN, "").replace(/[*_`]{1,3}/g, "").trim();

function Sources({ answer, openNumber, onOpen }) {
  const sources = sourcesOf(answer).slice(0, MOST_SOURCES);
  const named = sources.map(({ n }) => n).join();
  return useMemo(() => sources.length > 0 && listOf(sources, openNumber, onOpen), [answer.entries, named, openNumber]);
}

function listOf(sources, openNumber, onOpen) {
  return html`<section class="sources" aria-label=${say("answer.sources")}>
    <ol>
      ${sources.map(
        (entry) => html`<li key=${entry.n}>
          <button onClick=${(e) => onOpen(entry.n, e.currentTarget)} aria-expanded=${entry.n === openNumber}>
            <span class="n">${entry.n}</span>
            <span class="what" dir="auto">
              <strong>${entry.status ? say(`source.${entry.status}`) : visible(entry.display.title || entry.display.source || "")}</strong>
              <small>${visible(placeOf({ ...entry.display, heading_path: withoutTitle(entry.display) }))}</small>
            </span>
          </button>
        </li>`,
      )}
    </ol>
  </section>`;
}

function Actions({ exchange, onAgain, onEdit, foreign }) {
  const { answer } = exchange;
  const lines = () => sourcesOf(answer).map((entry) => ({ n: entry.n, line: lineOf(entry) }));
  return html`<div class="actions">
    ${answer.text && html`<${Copy} text=${() => asMarkdown(answer.text, lines())} name=${say("answer.copyMarkdown")} icon="copy" />`}
    ${answer.text && html`<${Copy} text=${() => asPlainText(answer.text, lines())} name=${say("answer.copyPlain")} icon="copy" />`}
    ${answer.messageId && !foreign && html`<${Share} answer=${answer} />`}
    ${!foreign && html`<button class="quiet" onClick=${onAgain}><${Icon} name="again" />${say("ask.again")}</button>`}
    <button class="quiet" onClick=${onEdit}><${Icon} name="edit" />${say(foreign ? "shared.ask" : "ask.edit")}</button>
  </div>`;
}

const lineOf = (entry) => [label(entry) || say(`source.${entry.status ?? "web"}`), entry.display.url].filter(Boolean).join(", ");

function Copy({ text, name, icon }) {
  const [done, setDone] = useState(false);
  async function copy() {
    await navigator.clipboard.writeText(text());
    setDone(true);
    setTimeout(() => setDone(false), 1500);
  }
  return html`<button class="quiet" onClick=${() => copy().catch(() => undefined)} aria-live="polite">
    <${Icon} name=${icon} />${done ? say("answer.copied") : name}
  </button>`;
}
