// Sentences of the server in the language of the reader: which one it is, and what stands in it for values.

/** Nothing that the server says is longer. What is, came from elsewhere. */
const LONGEST = 2000;
const MOST_SENTENCES = 12;
/** A value of a value of a sentence is the last that is told. */
const DEEPEST = 3;
/** So often the sentences are gone through for one text: a text of people's own may be made to fit many of them. */
const MOST_TRIES = 100;
/** A sentence with fewer letters of its own fits by chance: all of its values have to be known then. */
const FEW_LETTERS = 10;
const FIGURE = /^\d{1,3}(?:,\d{3}){0,4}(?:\.\d{1,6})?$/;

const VALUE = /\{=?\}/;

/**
 * The sentences in the order in which they are tried: those with the most letters of their own first. A value that a
 * translation calls `{=}` is a name that people gave, and may read like a sentence or a figure of the server.
 */
export function sentencesOf(pairs) {
  const made = pairs.map(([said, translated]) => ({
    parts: said.split("{}"),
    letters: said.replaceAll("{}", "").length,
    translated: translated.split(VALUE),
    named: (translated.match(/\{=?\}/g) ?? []).map((value) => value === "{=}"),
  }));
  return made.sort((a, b) => b.letters - a.letters);
}

/** What was told, in pieces: `{text, foreign}`. What nobody has translated is foreign; a figure is a number. */
export function piecesOf(text, known) {
  if (!known.length || text.length > LONGEST) return [{ text, foreign: known.length > 0 }];
  return inPieces(text, { known, left: MOST_TRIES }, 0);
}

/** `search`: the sentences, and how often they may still be gone through. `depth`: of how many values this is one. */
function inPieces(text, search, depth) {
  const pieces = [];
  for (let rest = text.trim(), told = 0; rest; told += 1) {
    const [first, behind] = told < MOST_SENTENCES ? firstOf(rest, search, depth) : [[{ text: rest, foreign: true }], ""];
    pieces.push(...(pieces.length ? [{ text: " ", foreign: false }] : []), ...first);
    rest = behind;
  }
  return pieces;
}

/** The longest beginning that is known, as pieces, and what stands behind it; else its first sentence as it is. */
function firstOf(text, search, depth) {
  const ends = endsOf(text);
  for (const end of ends) {
    const found = translated(text.slice(0, end), search, depth);
    if (found) return [found, text.slice(end).trimStart()];
  }
  const end = ends[ends.length - 1];
  return [[{ text: text.slice(0, end), foreign: true }], text.slice(end).trimStart()];
}

/** Where the first sentences may end, the last one first, before all of them the end of the text. */
function endsOf(text) {
  const ends = [];
  for (let at = text.indexOf(". "); at > 0 && ends.length < MOST_SENTENCES; at = text.indexOf(". ", at + 1)) ends.unshift(at + 1);
  return [text.length, ...ends];
}

function translated(text, search, depth) {
  if (search.left <= 0) return null;
  search.left -= 1;
  for (const { parts, letters, translated: words, named } of search.known) {
    const values = valuesOf(text, parts);
    const shown = values?.map((value, i) => (named[i] ? asItCame(value) : ofValue(value, search, depth + 1)));
    if (!shown || (letters < FEW_LETTERS && parts.length > 1 && !shown.every(({ sure }) => sure))) continue;
    return words.flatMap((word, i) => [{ text: word, foreign: false }, ...(shown[i]?.pieces ?? [])]).filter((piece) => piece.text);
  }
  return null;
}

/** What stands between the parts of a sentence, each found where it comes first; null where they are not all there. */
function valuesOf(text, parts) {
  const last = parts[parts.length - 1];
  if (parts.length === 1) return text === last ? [] : null;
  const end = text.length - last.length;
  if (!text.startsWith(parts[0]) || end < parts[0].length || !text.endsWith(last)) return null;
  const values = [];
  let from = parts[0].length;
  for (const part of parts.slice(1, -1)) {
    const at = text.indexOf(part, from);
    if (at < 0 || at + part.length > end) return null;
    values.push(text.slice(from, at));
    from = at + part.length;
  }
  return [...values, text.slice(from, end)];
}

const asItCame = (text) => ({ pieces: [{ text, foreign: false }], sure: false });

/** A value is a figure, something that is told itself, or a name, which belongs to no language. */
function ofValue(value, search, depth) {
  if (FIGURE.test(value)) return { pieces: [{ text: Number(value.replaceAll(",", "")), foreign: false }], sure: true };
  const whole = depth < DEEPEST && translated(value, search, depth);
  if (whole) return { pieces: whole, sure: true };
  return depth < DEEPEST && value.endsWith(".") && value.includes(" ") ? { pieces: inPieces(value, search, depth), sure: false } : asItCame(value);
}
