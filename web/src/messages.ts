// The messages between the page and the worker of a static page.

export type ToWorker =
  | { kind: "start"; saved: Record<string, string> } // games that were kept, by their identifiers
  | { kind: "ask"; number: number; post: boolean; path: string; body: string };

export type FromWorker =
  | { kind: "answered"; number: number; answer: string } // JSON
  | { kind: "refused"; number: number; why: string }
  | { kind: "save"; id: string; game: string }
  | { kind: "failed"; why: string }; // no request will be answered any more
