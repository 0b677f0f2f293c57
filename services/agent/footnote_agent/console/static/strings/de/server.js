// What the server says, in German. Each sentence stands beside the one of the server, whose values are `{}`.
import { composed } from "./server/composed.js";
import { connectors } from "./server/connectors.js";
import { documents } from "./server/documents.js";
import { rest } from "./server/rest.js";

export const server = [...composed, ...connectors, ...documents, ...rest];
