import { ask } from "./de/ask.js";
import { common } from "./de/common.js";
import { connectors } from "./de/connectors.js";
import { library } from "./de/library.js";
import { operate } from "./de/operate.js";
import { search } from "./de/search.js";
import { tour } from "./de/tour.js";

export const de = { ...ask, ...common, ...connectors, ...library, ...operate, ...search, ...tour };
