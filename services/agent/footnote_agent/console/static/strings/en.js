import { ask } from "./en/ask.js";
import { common } from "./en/common.js";
import { connectors } from "./en/connectors.js";
import { library } from "./en/library.js";
import { operate } from "./en/operate.js";
import { search } from "./en/search.js";
import { tour } from "./en/tour.js";

export const en = { ...ask, ...common, ...connectors, ...library, ...operate, ...search, ...tour };
