// Types of footnote-citations.js. Events and entries: docs/streams.md and docs/pills.md.

export interface Display {
  title?: string;
  source?: string;
  url?: string;
  date?: string;
  heading_path?: string[];
  page_start?: number;
  page_end?: number;
  kind?: string;
}

/** A token in the text of an answer, `[citation:n]`; its group is the number. It is global. */
export const TOKEN: RegExp;

/** What `[citation:n]` stands for. With a `status` it holds nothing of its source. */
export interface Entry {
  n: number;
  source_type?: string;
  locator?: Record<string, unknown>;
  display: Display;
  quote: string;
  origin?: "model" | "injected";
  status?: "forbidden" | "unknown";
  support?: Verdict;
  excerpts?: [number, number][];
}

export type Verdict = "supported" | "weak" | "unsupported" | "misattributed";

export interface Sentence {
  sentence: string;
  span: [number, number];
  citations: number[];
  verdict: Verdict;
  score: number;
  better?: number;
}

export interface Verification {
  status: "done" | "skipped";
  supported: number;
  weak: number;
  unsupported: number;
  misattributed: number;
  doubtful: Sentence[];
}

export type Step =
  | { kind: "progress"; stage: string; label: string; agent: string }
  | { kind: "tool"; tool: string; agent: string; done: boolean; arguments?: object; summary?: string; ms?: number; error?: string }
  | { kind: "approval"; call_id: string; tool: string; label: string; agent: string; arguments?: object };

export interface Answer {
  status: "waiting" | "running" | "completed" | "failed" | "cancelled";
  turnId: string | null;
  threadId: string | null;
  messageId: string | null;
  seq: number;
  text: string;
  entries: Record<number, Entry>;
  steps: Step[];
  verdicts: Sentence[];
  verification: Verification | null;
  compliance: Record<string, unknown> | null;
  usage: { input_tokens: number; output_tokens: number; cost?: number; partial?: boolean } | null;
  cut: "length" | "tool_call" | "content_filter" | "error" | null;
  problem: { title: string; detail: string; code: string; status: number } | null;
}

export interface TurnEvent {
  v: 1;
  turn_id: string;
  seq: number;
  type: string;
  at: string;
  data: Record<string, unknown>;
}

export interface Connection {
  /** The address of the server; absent: the page's own. */
  url?: string;
  key: string;
  signal?: AbortSignal;
  fetch?: typeof fetch;
  onAnswer?: (answer: Answer) => void;
  /** The server is away; it is asked again after so many milliseconds. */
  onWait?: (ms: number) => void;
}

export interface Question extends Connection {
  threadId: string;
  text: string;
  settings?: Record<string, unknown>;
  mentions?: { type: "document" | "folder" | "connector" | "chat"; id: string }[];
  preset?: string;
  idempotencyKey?: string;
}

export interface Turn extends Connection {
  turnId: string;
  answer?: Answer;
  lastEventId?: string;
}

export function visible(text: string): string;
export function pieces(text: string): ({ text: string; n?: undefined } | { n: number; text?: undefined })[];
export function label(entry: Entry | undefined): string;
export function emptyAnswer(): Answer;
export function fold(answer: Answer, event: TurnEvent): Answer;
export function readEvents(response: Response): AsyncGenerator<{ id: string; event: TurnEvent }>;
export function askQuestion(options: Question): Promise<Answer>;
export function followTurn(options: Turn): Promise<Answer>;
export function shownText(answer: Answer): string;
export function render(element: Element, answer: Answer, options?: { onOpen?: (entry: Entry) => void }): void;
export function pill(entry: Entry | undefined, n: number, onOpen: (entry: Entry) => void): HTMLButtonElement;
export function hold(button: HTMLButtonElement, punctuation?: RegExp): HTMLElement;

export class EventParser {
  feed(text: string): { id: string; event: TurnEvent }[];
}

export class Refused extends Error {
  status: number;
  problem: Record<string, unknown>;
}

export class StreamBroken extends Error {}

export class FootnoteAnswer extends HTMLElement {
  key: string;
  ask(threadId: string, text: string): Promise<Answer>;
  follow(turnId: string): Promise<Answer>;
}
