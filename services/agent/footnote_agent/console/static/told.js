// What the server tells in a sentence, in the language of the reader. The server writes English. Each of its
// sentences stands in `strings/LANGUAGE/server` beside its translation, with `{}` for each value: a test holds these
// lists to the code of the server. A sentence that is in none is shown as it came, marked as English.

import { visible } from "./footnote-citations.js";
import { html } from "./html.js";
import { piecesOf, sentencesOf } from "./server_sentences.js";
import { language, number, say } from "./strings.js";

/** A sign that no text of the page has. */
const HERE = "\0";
/** Readers of English need no list. Without one that does not come the page goes on, and shows what came. */
const list = language === "en" ? [] : await import(`./strings/${language}/server.js`).then(({ server }) => server, () => []);
const known = sentencesOf(list);

const told = (text) =>
  piecesOf(visible(text ?? ""), known).map((piece) => (typeof piece.text === "number" ? { ...piece, text: number(piece.text) } : piece));

/** What was told as one text, where a text alone can stand. */
export const toldText = (text) => told(text).map((piece) => piece.text).join("");

/** Whether something of it stays in a language that is not the reader's. */
export const isForeign = (text) => told(text).some(({ foreign }) => foreign);

/** What was told, with what stays English marked for whoever has it read aloud. Signs of Markdown are left out. */
export const Told = ({ text, without = "" }) =>
  told(text).map((piece) => {
    const shown = without ? piece.text.replaceAll(without, "") : piece.text;
    return piece.foreign ? html`<span lang="en">${shown}</span>` : shown;
  });

/** Words of the page around something that was told: `{name}` in them stands for it. */
export function around(key, name, told) {
  const [before, behind] = say(key, { [name]: HERE }).split(HERE);
  return html`${before}${told}${behind}`;
}
