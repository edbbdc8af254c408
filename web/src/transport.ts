// The page reaches the program with the games through a transport: a server, or a worker in the
// same browser. Both answer the same requests, which package web/host defines.

export interface Transport {
  // ask sends a request, with a body if it changes a game or asks for work. It fails with
  // the program's error message.
  ask<T>(path: string, body?: unknown): Promise<T>;
}
