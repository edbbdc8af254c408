// How the page reaches the program that holds the games: a server, or a worker beside
// the page. Both answer the same requests, those of package web/host.

export interface Transport {
  // ask sends a request, with a body if it changes or asks for work. It fails with what
  // the program says against it.
  ask<T>(path: string, body?: unknown): Promise<T>;
}
