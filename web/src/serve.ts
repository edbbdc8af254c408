// The page of tiro serve.

import { start } from "./app";
import { http } from "./http";

start(http);
