// What is done to the text of an answer before it is drawn. Pure: no page, no Markdown library.

import { TOKEN } from "./footnote-citations.js";
import { unitOf } from "./highlight.js";

const OPEN = "\u27ec";
const SHUT = "\u27ed";
// A list, a quote, a heading or a row begins with signs that have to stay at the beginning of their line.
const LINE_START = /^(?:[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)]|#{1,6})[ \t]+|\|[ \t]*))+/;

// It rules off a heading, the head of a table or a part.
const RULE_LINE = /^[-=|:*_ \t]*\n/;

/** The mark in a drawn text that opens (`k`) or closes (`/k`) doubt number k. */
export const MARK = /\u27ec(\/?)(\d+)\u27ed/g;

/**
 * The text with a mark at both ends of each doubtful sentence, and the doubts in the order of their marks.
 * A mark counts as punctuation for Markdown, so it changes nothing around it.
 */
export function markDoubts(text, doubtful) {
  const plain = text.replaceAll(OPEN, "[").replaceAll(SHUT, "]");
  const placed = doubtful
    .map((doubt) => ({ doubt, range: rangeOf(plain, doubt) }))
    .filter(({ range }) => range)
    .sort((a, b) => a.range[0] - b.range[0]);
  let marked = "";
  let done = 0;
  const doubts = [];
  for (const { doubt, range } of placed) {
    const [from, to] = range;
    if (from < done) continue;
    marked += `${plain.slice(done, from)}${OPEN}${doubts.length}${SHUT}${plain.slice(from, to)}${OPEN}/${doubts.length}${SHUT}`;
    doubts.push(doubt);
    done = to;
  }
  return { text: marked + plain.slice(done), doubts };
}

/** Where a sentence stands: by its span, or else by its words, which must stand there once. */
function rangeOf(text, { span, sentence }) {
  let from = span ? unitOf(text, span[0]) : -1;
  let to = span ? unitOf(text, span[1]) : -1;
  if (sentence && text.slice(from, to).trim() !== sentence.trim()) {
    from = text.indexOf(sentence);
    to = from + sentence.length;
    if (from < 0 || text.indexOf(sentence, from + 1) >= 0) return null;
  }
  // With a mark in it, such a line would be text.
  for (let rule; (rule = RULE_LINE.exec(text.slice(from, to))); ) from += rule[0].length;
  const lineStart = text.lastIndexOf("\n", from - 1) + 1;
  const signs = LINE_START.exec(text.slice(lineStart, to));
  if (signs) from = Math.max(from, lineStart + signs[0].length);
  const body = text.slice(from, to);
  from += body.length - body.trimStart().length;
  to -= body.length - body.trimEnd().length;
  // The last bar of a row, with whatever stood behind a mark, would be a cell of its own.
  if (text[to - 1] === "|" && text[to - 2] !== "\\") to = from + text.slice(from, to - 1).trimEnd().length;
  // A sentence over two blocks has no place for a mark at its end.
  return from < to && !text.slice(from, to).includes("\n\n") ? [from, to] : null;
}

// A line of nothing but signs, or of one number: the next sign may make something else of it, as of `-` or `2`.
const UNDECIDED = /^[\s>]*(?:\d{1,9}[.)]?\s*|[-*+_=#~|:][-*+_=#~|:\s]*)?$/;
const FENCE = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})/;
const BEGINS_ANEW = /^[ \t]*(?:$|[-*+>#|]|\d{1,9}[.)])/;

/** How much of a text is decided: all of it, or all but a last line of which nobody knows yet what it begins. */
export function decided(text) {
  const line = text.lastIndexOf("\n") + 1;
  const last = text.slice(line);
  return UNDECIDED.test(last) || /^[ \t]*`/.test(last) ? line : text.length;
}

/** The text of an unfinished block with what is open in it closed or held back, so that signs do not flash up. */
export function mended(block) {
  if (inCode(block)) return block;
  const line = block.lastIndexOf("\n") + 1;
  let text = block.slice(0, UNDECIDED.test(block.slice(line)) ? line : openLink(block));
  if (count(open(text), /`/g) % 2) return `${text}\``;
  let end = text.length;
  while ("*_~".includes(text[end - 1] ?? " ")) end -= 1;
  text = text.slice(0, end);
  // Behind a space two stars close nothing.
  return count(open(text.trimEnd()).replace(/`[^`]*`/g, ""), /\*\*/g) % 2 ? `${text.trimEnd()}**` : text;
}

/** Whether a text ends in a block of code that is open. */
function inCode(text) {
  let fence = "";
  for (const line of text.split("\n")) {
    const [signs, found] = FENCE.exec(line) ?? [];
    if (!found) continue;
    const rest = line.slice(signs.length);
    if (fence) fence = found.startsWith(fence) && !rest.trim() ? "" : fence;
    else if (found[0] === "~" || !rest.includes("`")) fence = found;
  }
  return fence !== "";
}

/** The end of a text in which signs can belong together: a paragraph, an item, a row. */
function open(text) {
  const lines = text.split("\n");
  let first = lines.length - 1;
  while (first > 0 && !BEGINS_ANEW.test(lines[first])) first -= 1;
  return lines.slice(first).join("\n");
}

/**
 * Where a link begins that is open at the end of a block; its length where none is. A number is no link. No
 * expression looks for it: one would begin anew at each of a hundred thousand brackets.
 */
function openLink(block) {
  const line = block.lastIndexOf("\n") + 1;
  const destination = block.indexOf("](", Math.max(line, block.lastIndexOf(")") + 1));
  for (const end of destination < 0 ? [block.length] : [destination, block.length]) {
    const from = block.indexOf("[", Math.max(line, block.lastIndexOf("]", end - 1) + 1));
    if (from < 0 || from >= end) continue;
    if (block.includes("[citation:", from)) break;
    return from > line && block[from - 1] === "!" ? from - 1 : from;
  }
  return block.length;
}

const count = (text, pattern) => (text.match(pattern) ?? []).length;

/** The answer as Markdown with its sources as footnotes, for other programs. */
export function asMarkdown(text, sources) {
  const body = text.replace(TOKEN, "[^$1]");
  return [body.trim(), ...sources.map(({ n, line }) => `[^${n}]: ${line}`)].join("\n\n");
}

/** The answer as plain text with numbers, and its sources below. */
export function asPlainText(text, sources) {
  const body = text.replace(TOKEN, "[$1]");
  return [body.trim(), sources.map(({ n, line }) => `[${n}] ${line}`).join("\n")].filter(Boolean).join("\n\n");
}
