// The page of tiro export --web.

import { start } from "./app";
import { local } from "./local";

start(local());
