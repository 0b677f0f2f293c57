// Where things stand in a text. Pure. The server counts characters, JavaScript counts UTF-16 units.

const RIGHT_TO_LEFT = /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** How a block is read whose parts have directions of their own: for it, a browser's `auto` looks past them. */
export const directionOf = (text) => (RIGHT_TO_LEFT.test(text) ? "rtl" : "ltr");

/** The unit at which character number `count` begins. */
export function unitOf(text, count) {
  let units = 0;
  for (let left = count; left > 0 && units < text.length; left -= 1) {
    units += text.codePointAt(units) > 0xffff ? 2 : 1;
  }
  return units;
}

/** A text cut at ranges of characters: `{text, marked}` in order. Ranges that overlap are taken as one. */
export function cutAtRanges(text, ranges) {
  const units = ranges
    .map(([from, to]) => [unitOf(text, from), unitOf(text, to)])
    .filter(([from, to]) => to > from)
    .sort((a, b) => a[0] - b[0]);
  const parts = [];
  let done = 0;
  for (const [from, to] of units) {
    if (to <= done) continue;
    if (from > done) parts.push({ text: text.slice(done, from), marked: false });
    parts.push({ text: text.slice(Math.max(from, done), to), marked: true });
    done = to;
  }
  if (done < text.length) parts.push({ text: text.slice(done), marked: false });
  return parts;
}

const BAR = /(?<!\\)\|/;
const FENCE = /^\s*(`{3,}(?!.*`)|~{3,})/;
const isRule = (line = "") => line.includes("---") && BAR.test(line) && line.split("|").every((cell) => /^(?::?-+:?)?$/.test(cell.trim()));

/** A text as blocks: `{text, from}`, or `{rows}` of a table in Markdown, with cells that are such blocks. */
export function blocksOf(text) {
  const blocks = [];
  const lines = text.split("\n");
  let table = null;
  let rule = 0; // the line below the head of the table
  let code = ""; // the fence that is open
  let from = 0; // in characters
  for (const [i, line] of lines.entries()) {
    const fence = FENCE.exec(line)?.[1];
    if (fence?.startsWith(code)) code = code ? "" : fence;
    if (!code && !table && BAR.test(line) && isRule(lines[i + 1])) {
      blocks.push((table = { rows: [] }));
      rule = i + 1;
    }
    if (code || !BAR.test(line)) table = null;
    const last = blocks[blocks.length - 1];
    if (table && i !== rule) table.rows.push(cellsOf(line, from));
    else if (!table && last?.text !== undefined) last.text += `\n${line}`;
    else if (!table) blocks.push({ text: line, from });
    from += charactersOf(line) + 1;
  }
  return blocks;
}

const charactersOf = (text) => [...text].length;

/** The cells of a row. A bar at its beginning or end divides nothing. */
function cellsOf(line, from) {
  const cells = line.split(BAR).map((text) => {
    const cell = { text, from };
    from += charactersOf(text) + 1;
    return cell;
  });
  return cells.filter(({ text }, i) => text.trim() || (i > 0 && i < cells.length - 1));
}

const MOST_WORDS = 1500;

/** What became of a text, word by word: `{text, kind}` with `same`, `gone` and `new`. */
export function wordDiff(before, after) {
  const a = before.match(/\s+|[^\s]+/g) ?? [];
  const b = after.match(/\s+|[^\s]+/g) ?? [];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < a.length - head && tail < b.length - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const middle = between(a.slice(head, a.length - tail), b.slice(head, b.length - tail));
  return joined([
    { text: a.slice(0, head).join(""), kind: "same" },
    ...middle,
    { text: a.slice(a.length - tail).join(""), kind: "same" },
  ]);
}

function between(a, b) {
  if (a.length > MOST_WORDS || b.length > MOST_WORDS) {
    return [
      { text: a.join(""), kind: "gone" },
      { text: b.join(""), kind: "new" },
    ];
  }
  // The longest common subsequence, by the table that every textbook has.
  const width = b.length + 1;
  const table = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      table[i * width + j] =
        a[i] === b[j]
          ? table[(i + 1) * width + j + 1] + 1
          : Math.max(table[(i + 1) * width + j], table[i * width + j + 1]);
    }
  }
  const parts = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      parts.push({ text: a[i], kind: "same" });
      i += 1;
      j += 1;
    } else if (j >= b.length || (i < a.length && table[(i + 1) * width + j] >= table[i * width + j + 1])) {
      parts.push({ text: a[i++], kind: "gone" });
    } else {
      parts.push({ text: b[j++], kind: "new" });
    }
  }
  return parts;
}

function joined(parts) {
  const found = [];
  for (const part of parts) {
    const last = found[found.length - 1];
    if (!part.text) continue;
    if (last?.kind === part.kind) last.text += part.text;
    else found.push({ ...part });
  }
  return found;
}
