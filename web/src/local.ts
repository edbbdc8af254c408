// The transport of a static page: a worker in the same browser.

import { all, keep } from "./kept";
import type { FromWorker, ToWorker } from "./messages";
import type { Transport } from "./transport";

interface Waiting { resolve: (answer: unknown) => void; reject: (why: Error) => void }

// local starts the worker and returns the transport to it.
export function local(): Transport {
  const worker = new Worker("worker.js");
  const send = (message: ToWorker): void => worker.postMessage(message);
  const waiting = new Map<number, Waiting>();
  let numbers = 0, broken = "";

  const fail = (why: string): void => {
    broken = why;
    for (const { reject } of waiting.values()) reject(new Error(why));
    waiting.clear();
  };
  const settle = (number: number, how: (one: Waiting) => void): void => {
    const one = waiting.get(number);
    waiting.delete(number);
    if (one) how(one);
  };
  worker.onmessage = (event: MessageEvent<FromWorker>) => {
    const message = event.data;
    switch (message.kind) {
      case "answered": return settle(message.number, (one) => one.resolve(JSON.parse(message.answer)));
      case "refused": return settle(message.number, (one) => one.reject(new Error(message.why)));
      case "save": return keep(message.id, message.game);
      case "failed": return fail(message.why);
    }
  };
  worker.onerror = (event) => fail(event.message || "worker.js cannot be loaded");
  send({ kind: "start", saved: all() });

  return {
    ask<T>(path: string, body?: unknown): Promise<T> {
      if (broken !== "") return Promise.reject(new Error(broken));
      const number = ++numbers;
      return new Promise<T>((resolve, reject) => {
        waiting.set(number, { resolve: (answer) => resolve(answer as T), reject });
        send({ kind: "ask", number, post: body !== undefined, path, body: body === undefined ? "" : JSON.stringify(body) });
      });
    },
  };
}
