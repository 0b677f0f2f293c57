// The two halves of the library: what is in it, and where it comes from by itself.

import { html } from "../html.js";
import { Tabs } from "../parts.js";
import { say } from "../strings.js";

export const LibraryTabs = ({ current }) => html`<${Tabs} name=${say("library.parts")} current=${current}
  tabs=${[
    ["documents", "#/library", say("operate.documents")],
    ["connectors", "#/library/connectors", say("connectors.title")],
  ]} />`;
