// The page of tiro export --web.

import { start } from "./app";
import { local } from "./local";

// Without service workers, or where they are not allowed, the page needs its server.
navigator.serviceWorker?.register("offline.js").catch(() => {});

start(local());
