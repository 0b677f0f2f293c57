// What the server says, in German. Each sentence stands beside the one of the server, whose values are `{}`.
import { composed } from "./composed.js";
import { connectors } from "./connectors.js";
import { documents } from "./documents.js";
import { rest } from "./rest.js";

export const server = [...composed, ...connectors, ...documents, ...rest];
