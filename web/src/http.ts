// The transport of tiro serve.

import type { Transport } from "./transport";

async function ask<T>(path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`api/${path}`, body === undefined ? {} : {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  const data: unknown = await answer.json();
  if (!answer.ok) throw new Error((data as { error: string }).error);
  return data as T;
}

export const http: Transport = { ask };
