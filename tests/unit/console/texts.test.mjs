import assert from "node:assert/strict";
import { test } from "node:test";
import { asMarkdown, asPlainText, decided, markDoubts, mended } from "../../../services/agent/footnote_agent/console/static/answer_text.js";
import { blocksOf, cutAtRanges, unitOf, wordDiff } from "../../../services/agent/footnote_agent/console/static/highlight.js";

test("characters are counted as the server counts them", () => {
  assert.equal(unitOf("a😀b", 2), 3);
  assert.deepEqual(cutAtRanges("a😀bcd", [[1, 3], [2, 4]]), [
    { text: "a", marked: false }, { text: "😀b", marked: true }, { text: "c", marked: true }, { text: "d", marked: false },
  ]);
});

test("a text that was changed is shown word by word", () => {
  const parts = wordDiff("A room may cost 140 euros.", "A room may cost 190 euros.");
  assert.deepEqual(parts, [
    { text: "A room may cost ", kind: "same" }, { text: "140", kind: "gone" }, { text: "190", kind: "new" }, { text: " euros.", kind: "same" },
  ]);
  assert.deepEqual(wordDiff("same", "same"), [{ text: "same", kind: "same" }]);
  assert.deepEqual(wordDiff("", "new"), [{ text: "new", kind: "new" }]);
});

test("the old and the new text can be read out of a difference", () => {
  const words = ["a", "b", "c", "d"];
  const random = (seed) => () => (seed = (seed * 1103515245 + 12345) % 2 ** 31) / 2 ** 31;
  const next = random(7);
  const text = () => Array.from({ length: Math.floor(next() * 9) }, () => words[Math.floor(next() * 4)]).join(" ");
  for (let i = 0; i < 300; i += 1) {
    const [before, after] = [text(), text()];
    const parts = wordDiff(before, after);
    const without = (kind) => parts.filter((part) => part.kind !== kind).map((part) => part.text).join("");
    assert.equal(without("new"), before);
    assert.equal(without("gone"), after);
  }
});

test("only the line right below its head rules a table, and code holds none", () => {
  const drawn = (text) => blocksOf(text).map(({ rows, text: plain }) => rows?.map((row) => row.map((cell) => cell.text.trim()).join()) ?? plain);
  const table = "a | b\n--- | ---\n--- | ---\n1 | 2";
  assert.deepEqual(drawn(table), [["a,b", "---,---", "1,2"]]);
  assert.deepEqual(drawn(`~~~ md\n${table}\n\`\`\`\n${table}`), [`~~~ md\n${table}\n\`\`\`\n${table}`]);
  assert.deepEqual(drawn(`\`\`\`\n${table}\n\`\`\`\n${table}`), [`\`\`\`\n${table}\n\`\`\``, ["a,b", "---,---", "1,2"]]);
});

test("two long texts are compared as wholes: the table would be too large", () => {
  const parts = wordDiff("a ".repeat(5000), "b ".repeat(5000));
  assert.deepEqual(parts.map(({ kind }) => kind), ["gone", "new", "same"]);
});

const doubt = (text, sentence, verdict = "weak") => {
  const from = [...text.slice(0, text.indexOf(sentence))].length;
  return { sentence, span: [from, from + [...sentence].length], verdict };
};

test("a doubtful sentence is marked at both ends, behind the signs of its line", () => {
  const text = "😀 First one [citation:1]. Second.\n\n- Third one [citation:2].";
  const { text: marked, doubts } = markDoubts(text, [doubt(text, "- Third one [citation:2]."), doubt(text, "Second.")]);
  assert.equal(marked, "😀 First one [citation:1]. ⟬0⟭Second.⟬/0⟭\n\n- ⟬1⟭Third one [citation:2].⟬/1⟭");
  assert.deepEqual(doubts.map(({ sentence }) => sentence), ["Second.", "- Third one [citation:2]."]);
});

test("a doubtful row keeps its cells: the marks stand within its bars", () => {
  const row = "| Room | 140 euros [citation:1] |";
  const { text } = markDoubts(`| a | b |\n|---|---|\n${row}\n| | x \\|`, [doubt(`| a | b |\n|---|---|\n${row}`, row)]);
  assert.equal(text, "| a | b |\n|---|---|\n| ⟬0⟭Room | 140 euros [citation:1]⟬/0⟭ |\n| | x \\|");
  assert.equal(markDoubts("| | x \\|", [doubt("| | x \\|", "| | x \\|")]).text, "| | ⟬0⟭x \\|⟬/0⟭");
  assert.equal(markDoubts("Price | 12 |", [doubt("Price | 12 |", "Price | 12 |")]).text, "⟬0⟭Price | 12⟬/0⟭ |");
});

test("a doubtful sentence behind a line of dashes is marked behind it", () => {
  for (const rule of ["---\n", "===\n", "--- | :--:\n", "|\n|---|---|\n", "---\n\n", "* * *\n"]) {
    const sentence = `${rule}The cook is a penguin.`;
    const { text, doubts } = markDoubts(`Who sails?\n${sentence}`, [doubt(`Who sails?\n${sentence}`, sentence)]);
    assert.equal(text, `Who sails?\n${rule}⟬0⟭The cook is a penguin.⟬/0⟭`);
    assert.equal(doubts.length, 1);
  }
  assert.equal(markDoubts("--- says it.", [doubt("--- says it.", "--- says it.")]).text, "⟬0⟭--- says it.⟬/0⟭");
});

test("a sentence whose place has another text is found by its words, or left out", () => {
  const found = markDoubts("Some words. The claim.", [{ sentence: "The claim.", span: [0, 5], verdict: "weak" }]);
  assert.equal(found.text, "Some words. ⟬0⟭The claim.⟬/0⟭");
  assert.deepEqual(markDoubts("Other text.", [{ sentence: "The claim.", span: [0, 5] }]).doubts, []);
  assert.deepEqual(markDoubts("Yes. Yes.", [{ sentence: "Yes.", span: [90, 95] }]).doubts, []);
});

test("a text cannot write marks of its own", () => {
  assert.equal(markDoubts("⟬0⟭ evil", []).text, "[0] evil");
});

test("what is open at the end of a stream is closed, or held back", () => {
  assert.equal(mended("a **bold"), "a **bold**");
  assert.equal(mended("a **bold** b"), "a **bold** b");
  assert.equal(mended("a *"), "a ");
  assert.equal(mended("run `foo"), "run `foo`");
  assert.equal(mended("see [the form](https://exa"), "see ");
  assert.equal(mended("see [citation:1]"), "see [citation:1]");
  assert.equal(mended("```\na **b"), "```\na **b");
  assert.equal(mended("see ![a pict"), "see ");
  assert.equal(mended("[a](b) see [the [form](https://exa"), "[a](b) see ");
  assert.equal(mended("[a] see [the"), "[a] see ");
  assert.equal(mended("[a\nb"), "[a\nb");
  assert.equal(mended("a **b** ~~"), "a **b** ");
  assert.equal(mended("a **bold "), "a **bold**");
  assert.equal(mended("- 2**3 or `\n- b"), "- 2**3 or `\n- b");
  assert.equal(mended("1. ```\n   a **b"), "1. ```\n   a **b");
  assert.equal(mended("```a``` and **b"), "```a``` and **b**");
  assert.equal(mended("```\na\n```\nb **c"), "```\na\n```\nb **c**");
});

test("a line that may become something else is neither shown nor taken as the end of what stands before it", () => {
  for (const line of ["-", "2", "2.", "12) ", "---", "--- | ---", "> -", "=", "**", "#", " :-", "123456789"]) {
    assert.equal(mended(`They are:\n${line}`), "They are:\n", line);
    assert.equal(decided(`1. one\n\n${line}`), "1. one\n\n".length, line);
  }
  for (const line of ["- a", "2. a", "word", "--- a", "1.5", "1234567890", "> - a"]) {
    assert.equal(mended(`They are:\n${line}`), `They are:\n${line}`, line);
    assert.equal(decided(`1. one\n\n${line}`), `1. one\n\n${line}`.length, line);
  }
  assert.equal(decided("1. one\n```a"), "1. one\n".length);
  assert.equal(decided("1. one\n- ```a"), "1. one\n- ```a".length);
});

test("what is open in a text is found at once, whatever stands in it", () => {
  for (const sign of ["[", "![", "*", "_", "](", "[citation:1", " ", "> ", "- ", "`", "\n", "1 ", "\t`"]) {
    const text = `${sign.repeat(300_000)}]x`;
    assert.ok(mended(text).length > 2);
    assert.ok(decided(text) >= 0);
  }
});

test("an answer is taken along with its sources", () => {
  const sources = [{ n: 1, line: "Handbook, p. 3" }];
  assert.equal(asMarkdown("Blue [citation:1].", sources), "Blue [^1].\n\n[^1]: Handbook, p. 3");
  assert.equal(asPlainText("Blue [citation:1].", sources), "Blue [1].\n\n[1] Handbook, p. 3");
});
