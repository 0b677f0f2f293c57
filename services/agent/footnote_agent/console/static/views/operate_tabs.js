// The parts of Operate: how things stand, and what a person may set.

import { html } from "../html.js";
import { Tabs } from "../parts.js";
import { say } from "../strings.js";

export const OperateTabs = ({ current }) => html`<h1>${say("operate.title")}</h1>
  <${Tabs} name=${say("operate.parts")} current=${current}
    tabs=${[
      ["state", "#/operate", say("operate.state")],
      ["automations", "#/operate/automations", say("automations.title")],
      ["lanes", "#/operate/lanes", say("lanes.title")],
      ["usage", "#/operate/usage", say("usage.title")],
      ["keys", "#/operate/keys", say("keys.title")],
      ["flags", "#/operate/flags", say("flags.title")],
      ["audit", "#/operate/audit", say("audit.title")],
    ]} />`;
