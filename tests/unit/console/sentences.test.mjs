import assert from "node:assert/strict";
import { test } from "node:test";
import { piecesOf, sentencesOf } from "../../../services/agent/footnote_agent/console/static/server_sentences.js";
import { server } from "../../../services/agent/footnote_agent/console/static/strings/de/server/all.js";

const known = sentencesOf(server);
const said = (text) => piecesOf(text, known).map(({ text: piece, foreign }) => (foreign ? `«${piece}»` : piece)).join("");

test("a sentence of the server is said in the other language, with its values", () => {
  assert.equal(said("The PDF has 1,200 pages, more than the 1,000 that are allowed."), "Das PDF hat 1200 Seiten, mehr als die erlaubten 1000.");
  assert.equal(said("Moved from /a to /b c."), "Verschoben von /a nach /b c.");
  assert.equal(said("1 chunk"), "1 Abschnitt");
  assert.equal(said("2 folders, 1 file"), "2 Ordner, 1 Datei");
  assert.equal(said("1 passage from 12 documents"), "1 Stelle aus 12 Dokumenten");
});

test("sentences in a row and sentences within one another are told apart", () => {
  assert.equal(said("Slack asks to be left alone for a while (429). Another try follows."), "Slack bittet um eine Pause (429). Ein weiterer Versuch folgt.");
  assert.equal(said("2 tracked changes were read as accepted and 1 comment was left out (FOOTNOTE_PARSE_REVIEW). The file is empty."),
    "2 nachverfolgte Änderungen wurden als angenommen gelesen und 1 Kommentar blieb weg (FOOTNOTE_PARSE_REVIEW). Die Datei ist leer.");
  assert.equal(said("Still at it: Reading *Handbook* (12 s)"), "Noch dabei: Liest *Handbook* (12 s)");
});

test("a name stays as people gave it, whatever it reads like", () => {
  assert.equal(said("Reading *1 chunk*"), "Liest *1 chunk*");
  assert.equal(said("Still at it: Reading *1.10* (12 s)"), "Noch dabei: Liest *1.10* (12 s)");
  assert.equal(said("Moved from /The file is empty. to /12,000."), "Verschoben von /The file is empty. nach /12,000.");
  assert.equal(said("There is a document named Accepted. at that place already."), "An dieser Stelle gibt es schon ein Dokument namens Accepted..");
});

test("why a file is plain code, and what a field takes, is said whole", () => {
  assert.equal(said("The file was taken as plain code: it ends too early."), "Die Datei wurde als reiner Code genommen: Sie endet zu früh.");
  assert.equal(said("Input should be 'a', 'b' or 'c'"), "Möglich sind: 'a', 'b' oder 'c'");
  assert.equal(said("String should match pattern '^https?://[^\\s]+$'"), "Eine Adresse, die mit http:// oder https:// beginnt und keine Leerzeichen hat");
  assert.equal(said("String should match pattern '^[a-z]+$'"), "Nicht in der verlangten Form: ^[a-z]+$");
});

test("one of a thing is told as one", () => {
  assert.equal(said("1 passage from 1 document"), "1 Stelle aus 1 Dokument");
  assert.equal(said("8 passages from 1 document"), "8 Stellen aus 1 Dokument");
  assert.equal(said("1 folder, 3 files"), "1 Ordner, 3 Dateien");
  assert.equal(said("1 passage of Accepted."), "1 Stelle aus Accepted.");
});

test("what nobody has translated stays as it came, and is marked", () => {
  assert.equal(said("Something new. The file is empty. More of it."), "«Something new.» Die Datei ist leer. «More of it.»");
  assert.equal(said("wrote my files"), "«wrote my files»");
  assert.equal(said("x".repeat(3000)), `«${"x".repeat(3000)}»`);
});

test("without a list everything stays as it came, and nothing is foreign", () => {
  assert.deepEqual(piecesOf("The file is empty.", []), [{ text: "The file is empty.", foreign: false }]);
});

test("no text keeps the page waiting", () => {
  const hostile = ["The file is a. b. ".repeat(110), `${"x Another try follows. ".repeat(90)}`, "1 files files files ".repeat(99), "Not valid: ".repeat(180), "a., b. c d. ".repeat(166)];
  const began = performance.now();
  for (const text of hostile) piecesOf(text.slice(0, 2000), known);
  assert.ok(performance.now() - began < 4000);
});
