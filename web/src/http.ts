// The transport of tiro serve.

import type { Transport } from "./transport";

// request returns the server's answer to a request. Without one it throws a TypeError, like fetch,
// whose text depends on the browser; a proxy may answer with a page of its own.
export async function request<T>(address: string, options: RequestInit = {}): Promise<{ data: T; headers: Headers }> {
  let answer: Response, data: unknown;
  try {
    answer = await fetch(address, options);
    data = await answer.json();
  } catch {
    throw new TypeError("The server does not answer.");
  }
  if (!answer.ok) throw new Error((data as { error: string }).error);
  return { data: data as T, headers: answer.headers };
}

async function ask<T>(path: string, body?: unknown): Promise<T> {
  const { data } = await request<T>(`api/${path}`, body === undefined ? {} : {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  return data;
}

export const http: Transport = { ask };
