/*! Contains wasm_exec.js of the Go distribution: Copyright 2018 The Go Authors. All rights
reserved. Use of that code is governed by a BSD-style license, see licenses.txt. */

// The worker of a static page. It starts the program (web/wasm), and passes messages between
// the program and the page.

import "wasm_exec";
import type { FromWorker, ToWorker } from "./messages";

declare const Go: new () => { importObject: WebAssembly.Imports; run(instance: WebAssembly.Instance): Promise<void> };

// Ask is the function that web/wasm exports: it sends a request, whose answer refers to the
// request's number.
type Ask = (number: number, post: boolean, path: string, body: string) => void;

const page = self as unknown as { postMessage(message: FromWorker): void };
const early: ToWorker[] = []; // messages that arrived before the program was ready
let program: Ask | null = null;

async function read(address: string, cache: RequestCache = "default"): Promise<Uint8Array<ArrayBuffer>> {
  const answer = await fetch(address, { cache });
  if (!answer.ok) throw new Error(`${address}: ${answer.status} ${answer.statusText}`);
  return new Uint8Array(await answer.arrayBuffer());
}

// unpacked returns data without gzip compression, which some servers have already removed.
async function unpacked(data: Uint8Array<ArrayBuffer>): Promise<ArrayBuffer> {
  if (data[0] !== 0x1f || data[1] !== 0x8b) return data.buffer;
  return new Response(new Blob([data]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

// pause lets pending messages arrive.
const resumed: (() => void)[] = [];
const channel = new MessageChannel();
channel.port1.onmessage = () => resumed.shift()?.();
function pause(): Promise<void> {
  return new Promise((resume) => {
    resumed.push(resume);
    channel.port2.postMessage(null);
  });
}

// The kernels of networks are a separate module, which the program generates, because its
// compiler emits no vector instructions. The program's imports with the kernels' names call it.
type Kernel = (address: number) => void;
let kernels: Record<string, Kernel> = {};
function kernelImports(program: WebAssembly.Module): Record<string, Kernel> {
  const own = WebAssembly.Module.imports(program).filter((one) => one.module === "tiro");
  return Object.fromEntries(own.map(({ name }) => [name, (address: number) => kernels[name]?.(address)]));
}

// startKernels reports whether the browser supports vector instructions.
function startKernels(code: Uint8Array<ArrayBuffer>, mem: WebAssembly.Memory): boolean {
  try {
    kernels = new WebAssembly.Instance(new WebAssembly.Module(code), { go: { mem } }).exports as Record<string, Kernel>;
    return true;
  } catch {
    return false;
  }
}

function failed(why: string): void {
  page.postMessage({ kind: "failed", why });
}

function deliver(ask: Ask, message: ToWorker): void {
  if (message.kind === "ask") ask(message.number, message.post, message.path, message.body);
}

async function start(saved: Record<string, string>): Promise<void> {
  const site = new TextDecoder().decode(await read("site.json", "no-cache"));
  const { program: address } = JSON.parse(site) as { program: string };
  const code = await unpacked(await read(address));
  const go = new Go();
  const compiled = await WebAssembly.compile(code);
  const instance = await WebAssembly.instantiate(compiled, { ...go.importObject, tiro: kernelImports(compiled) });
  const memory = instance.exports["mem"] as WebAssembly.Memory;
  Object.assign(globalThis, { tiro: {
    site, saved, read, pause, failed,
    kernels: (code: Uint8Array<ArrayBuffer>) => startKernels(code, memory),
    ready(started: Ask) {
      program = started;
      for (const message of early.splice(0)) deliver(started, message);
    },
    answered: (number: number, answer: string) => page.postMessage({ kind: "answered", number, answer }),
    refused: (number: number, why: string) => page.postMessage({ kind: "refused", number, why }),
    save: (id: string, game: string) => page.postMessage({ kind: "save", id, game }),
  } });
  await go.run(instance);
  failed("the program has stopped; open the page again");
}

self.onmessage = (event: MessageEvent<ToWorker>) => {
  const message = event.data;
  if (message.kind === "start") {
    start(message.saved).catch((fault: unknown) => failed(fault instanceof Error ? fault.message : String(fault)));
  } else if (program) {
    deliver(program, message);
  } else {
    early.push(message);
  }
};
