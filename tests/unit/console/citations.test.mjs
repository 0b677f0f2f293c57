import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as renderer from "../../../services/agent/footnote_agent/console/static/footnote-citations.js";

const { EventParser, Refused, askQuestion, emptyAnswer, fold, followTurn, label, pieces, shownText, visible } = renderer;

const entry = (n, more = {}) => ({ n, display: { title: `Document ${n}`, source: `${n}.md`, ...more }, quote: "words" });
const event = (seq, type, data) => ({ v: 1, turn_id: "u1", seq, type, at: "", data });
const TURN = [
  event(1, "turn.started", { thread_id: "t1", message_id: "m1", engine: "pipeline" }),
  event(2, "progress", { stage: "searching", label: "Searching", agent: "orchestrator" }),
  event(3, "tool.started", { tool: "search", agent: "orchestrator", arguments: {} }),
  event(4, "tool.finished", { tool: "search", agent: "orchestrator", summary: "3 passages", ms: 12 }),
  event(5, "citation", { entry: entry(1), origin: "model" }),
  event(6, "text.delta", { text: "Blue [citation:1]" }),
  event(7, "text.delta", { text: "." }),
  event(8, "message.completed", { message_id: "m1", text: "Blue [citation:1].", citations: [entry(1)], verification: { status: "done" } }),
];
const wire = (events) => events.map((one) => `id: ${one.seq}\nevent: ${one.type}\ndata: ${JSON.stringify(one)}\n\n`).join("");
const folded = (events) => events.reduce(fold, emptyAnswer());

test("a text is cut at its tokens and nowhere else", () => {
  assert.deepEqual(pieces("a [citation:1][citation:22] b [3] [citation:x]"), [
    { text: "a " }, { n: 1 }, { n: 22 }, { text: " b [3] [citation:x]" },
  ]);
  assert.deepEqual(pieces(""), []);
});

test("control characters and overrides are seen, and take the room that they took", () => {
  assert.equal(visible("a\u001b[2Jb\u202ec\td\ne"), "a\u241b[2Jb\ufffdc\td\ne");
});

test("a pill says title, heading and pages, and nothing of a source that is withheld", () => {
  assert.equal(label(entry(1, { heading_path: ["Document 1", "Hotels"], page_start: 3, page_end: 4 })), "Document 1 · Hotels · p. 3–4");
  assert.equal(label({ ...entry(1), status: "forbidden" }), "");
  assert.equal(label(undefined), "");
});

test("events become an answer", () => {
  const answer = folded(TURN);
  assert.equal(answer.status, "completed");
  assert.equal(answer.text, "Blue [citation:1].");
  assert.equal(answer.entries[1].display.title, "Document 1");
  assert.deepEqual(answer.steps.map(({ kind, done }) => [kind, done]), [["progress", undefined], ["tool", true]]);
  assert.deepEqual(answer.verification, { status: "done" });
});

test("an event that comes twice counts once, and the end counts whatever its number is", () => {
  assert.equal(folded([...TURN.slice(0, 6), TURN[5], TURN[4]]).text, "Blue [citation:1]");
  assert.equal(folded([...TURN.slice(0, 6), event(1, "turn.failed", { message_id: "m1", problem: { detail: "x" } })]).status, "failed");
});

test("text.replaced takes the place of everything before it", () => {
  const answer = folded([...TURN.slice(0, 6), event(7, "text.replaced", { text: "Red [citation:2].", citations: [entry(2)] })]);
  assert.equal(answer.text, "Red [citation:2].");
  assert.deepEqual(Object.keys(answer.entries), ["2"]);
});

test("an answer is never changed in place", () => {
  const states = [];
  TURN.reduce((answer, one) => (states.push(Object.freeze(answer)), fold(answer, one)), emptyAnswer());
  assert.equal(states.length, TURN.length);
});

test("events are whole however the stream is cut", () => {
  const text = `: beat\n\n${wire(TURN)}`.replaceAll("\n", "\r\n") + wire(TURN);
  const whole = new EventParser().feed(text);
  assert.equal(whole.length, 2 * TURN.length);
  for (let size = 1; size < 40; size += 1) {
    const parser = new EventParser();
    const found = [];
    for (let i = 0; i < text.length; i += size) found.push(...parser.feed(text.slice(i, i + size)));
    assert.deepEqual(found, whole);
  }
});

const streaming = (text, headers = {}) => new Response(text, { headers });
const asked = [];
function server(answers) {
  asked.length = 0;
  return async (path, options) => {
    asked.push([options.method ?? "GET", path, options.headers]);
    const next = answers.shift();
    if (next instanceof Error) throw next;
    return next;
  };
}

test("a reader that is cut off goes on behind the last event that it has had", async () => {
  const fetch = server([
    streaming(wire(TURN.slice(0, 6)) + "id: 7\ndata: {\"half", { "Footnote-Turn-Id": "u1" }),
    new TypeError("network"),
    streaming(wire(TURN.slice(6))),
  ]);
  const answer = await askQuestion({ key: "fn_k", threadId: "t 1", text: "What?", fetch });
  assert.equal(answer.text, "Blue [citation:1].");
  assert.deepEqual(asked.map(([method, path]) => [method, path]), [
    ["POST", "/v1/threads/t%201/turns"], ["GET", "/v1/streams/u1"], ["GET", "/v1/streams/u1"],
  ]);
  assert.equal(asked[2][2]["Last-Event-ID"], "6");
  assert.equal(asked[0][2].Authorization, "Bearer fn_k");
});

test("a refusal ends it at once, with the server's own words", async () => {
  const fetch = server([new Response(JSON.stringify({ detail: "No such turn." }), { status: 404 })]);
  await assert.rejects(followTurn({ key: "k", turnId: "u1", fetch }), (error) => {
    assert.ok(error instanceof Refused);
    assert.equal(error.status, 404);
    assert.equal(error.message, "No such turn.");
    return true;
  });
});

test("a question that is sent again is the same question", async () => {
  const fetch = server([new TypeError("network"), streaming(wire(TURN), { "Footnote-Turn-Id": "u1" })]);
  await askQuestion({ key: "k", threadId: "t1", text: "What?", fetch });
  assert.equal(asked[0][2]["Idempotency-Key"], asked[1][2]["Idempotency-Key"]);
});

test("whoever stops waiting is not kept", async () => {
  const stop = new AbortController();
  const fetch = async () => Promise.reject(new TypeError("network"));
  const reading = followTurn({ key: "k", turnId: "u1", fetch, signal: stop.signal, onWait: () => stop.abort(new Error("enough")) });
  await assert.rejects(reading, /enough/);
});

test("the declared types name what there is", async () => {
  const file = new URL("../../../services/agent/footnote_agent/console/static/footnote-citations.d.ts", import.meta.url);
  const declared = (await readFile(file, "utf8")).matchAll(/^export (?:function|class|const) (\w+)/gm);
  assert.deepEqual([...declared].map(([, name]) => name).sort(), Object.keys(renderer).sort());
});

test("a token is shown when it is whole, wherever the text is cut", () => {
  const text = "See [a] and [citation:12], [citation:345678901]. [cit";
  for (let end = 0; end <= text.length; end += 1) {
    const running = { ...emptyAnswer(), status: "running", text: text.slice(0, end) };
    const shown = shownText(running);
    assert.ok(running.text.startsWith(shown));
    assert.ok(running.text.length - shown.length < "[citation:123456789]".length);
    assert.doesNotMatch(pieces(shown).map((piece) => piece.text ?? "").join(""), /\[c|\[$/);
  }
  assert.equal(shownText({ ...emptyAnswer(), status: "completed", text }), text);
});
