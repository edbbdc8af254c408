// The page of tiro serve.

import { start } from "./app";
import { element } from "./dom";
import { http } from "./http";

start(http);

// Runs can be watched if the program was told of any. Without them the page is complete.
http.ask<unknown[]>("runs").then((runs) => { element("runs-link").hidden = runs.length === 0; }, () => undefined);
