// The page of tiro serve and of tiro export --web. An exported page names the worker as its
// transport; otherwise a server answers.

import { start } from "./app";
import { element } from "./dom";
import { http } from "./http";
import { local } from "./local";

if (document.querySelector('meta[name="transport"][content="worker"]')) {
  start(local());
  try {
    // Where service workers are missing or forbidden, the page needs its server.
    navigator.serviceWorker?.register("offline.js").catch(() => {});
  } catch {
    // Some browsers throw an error at the name.
  }
} else {
  start(http);
  // The link to runs is shown if the server was given any. Without them the page is complete.
  http.ask<unknown[]>("runs").then((runs) => { element("runs-link").hidden = runs.length === 0; }, () => undefined);
}
