// How a connector stands, in a word and a colour.

import { html } from "../html.js";
import { Mark } from "../parts.js";
import { say } from "../strings.js";

const COLOURS = { active: "ok", failing: "failed", held: "weak" };

export const ConnectorMark = ({ status }) => html`<${Mark} kind=${COLOURS[status] ?? ""} text=${say(`connector.${status}`)} />`;
