// Markup without a build step: `html` makes the virtual nodes of Preact from template strings.
import { h } from "preact";
import htm from "htm";

export const html = htm.bind(h);
