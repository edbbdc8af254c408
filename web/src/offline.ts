// The service worker of a static page. It stores all files of the page, so that the page also
// opens without a server. A page whose server answers always shows the server's version,
// whatever the state of the browser's stores.

// The parts of the service worker API in use; the types for pages lack them.
interface Waiting { waitUntil(work: Promise<unknown>): void }
interface Asked { request: Request; respondWith(answer: Promise<Response>): void }
const worker = self as unknown as {
  addEventListener(kind: "install" | "activate", listener: (event: Waiting) => void): void;
  addEventListener(kind: "fetch", listener: (event: Asked) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
};

// Each version of the page has its own cache. The cache is complete once it holds the last of
// these addresses, which belongs to no file.
const prefix = `tiro ${new URL(".", location.href).pathname} `; // pages may share an origin
const page = ["./", "app.js", "worker.js", "style.css", "icon.svg", "site.json"];
const whole = "./?whole";

async function digest(data: BufferSource): Promise<string> {
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  return Array.from(sum, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Stored is the content of a server's answer and its type.
interface Stored { data: Uint8Array<ArrayBuffer>; type: string }

// fetched returns the server's file at an address. If the address contains a checksum, the file
// must match it. Some servers remove the file's compression.
async function fetched(address: string): Promise<Stored> {
  const answer = await fetch(address, { cache: "no-cache" });
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  const data = new Uint8Array(await answer.arrayBuffer());
  const [path = "", sum = ""] = address.split("?");
  const undone = path.endsWith(".gz") && data[0] !== 0x1f;
  if (!undone && !(await digest(data)).startsWith(sum)) throw new Error(`${address}: another file`);
  return { data, type: answer.headers.get("Content-Type") ?? "" };
}

const sumHeader = "tiro-sum";

async function put(cache: Cache, address: string, { data, type }: Stored): Promise<void> {
  await cache.put(address, new Response(data, { headers: { "Content-Type": type, [sumHeader]: await digest(data) } }));
}

// taken returns a cache's answer to a request, or null if it is missing or damaged.
async function taken(cache: Cache | undefined, request: Request | string): Promise<Stored | null> {
  const own = await cache?.match(request);
  if (!own) return null;
  const data = new Uint8Array(await own.arrayBuffer());
  if (await digest(data) !== own.headers.get(sumHeader)) return null;
  return { data, type: own.headers.get("Content-Type") ?? "" };
}

// versions returns the names of the page's caches, the newest last.
async function versions(): Promise<string[]> {
  return (await caches.keys()).filter((name) => name === prefix.trimEnd() || name.startsWith(prefix));
}

// newest returns the name of the newest complete version's cache, or "" if there is none.
async function newest(): Promise<string> {
  for (const name of (await versions()).reverse()) {
    if (await (await caches.open(name)).match(whole)) return name;
  }
  return "";
}

async function newestCache(): Promise<Cache | undefined> {
  const name = await newest();
  return name === "" ? undefined : caches.open(name);
}

// kept returns the stored answer to a request, or null if there is none.
async function kept(request: Request): Promise<Response | null> {
  try {
    const cache = await newestCache();
    const file = await taken(cache, request) ?? (request.mode === "navigate" ? await taken(cache, "./") : null);
    return file && new Response(file.data, { headers: { "Content-Type": file.type } });
  } catch {
    return null; // the browser stores nothing, or has removed it
  }
}

// keepAll stores a version of the page in its own cache, completely or not at all.
async function keepAll(): Promise<void> {
  const files = await Promise.all(page.map(fetched));
  const name = prefix + await digest(await new Blob(files.map((file) => file.data)).arrayBuffer());
  const site = JSON.parse(new TextDecoder().decode(files.at(-1)?.data)) as { program: string; games: { weights: string }[] };
  const before = await newestCache();
  const large: [string, Stored][] = [];
  for (const address of new Set([site.program, ...site.games.map((game) => game.weights)])) {
    large.push([address, await taken(before, address) ?? await fetched(address)]);
  }
  await caches.delete(name); // an earlier worker may have left an incomplete or damaged cache
  try {
    const cache = await caches.open(name);
    for (const [i, address] of page.entries()) await put(cache, address, files[i]!);
    for (const [address, file] of large) await put(cache, address, file);
    await cache.put(whole, new Response(""));
  } catch (fault) {
    await caches.delete(name);
    throw fault;
  }
}

// dropOthers removes all versions but the newest.
async function dropOthers(): Promise<void> {
  const own = await newest();
  if (own === "") return;
  for (const name of await versions()) {
    if (name !== own) await caches.delete(name);
  }
}

// repair stores the page once more after a file was missing or damaged.
let repaired = false;
function repair(): void {
  if (repaired) return;
  repaired = true;
  keepAll().then(dropOthers).catch(() => undefined);
}

// answer prefers the stored file for an address with a checksum, and the server's answer for
// other addresses.
async function answer(request: Request): Promise<Response> {
  const own = await kept(request);
  if (own && request.url.includes("?") && request.mode !== "navigate") return own;
  try {
    const fresh = await fetch(request);
    if (!own && fresh.ok) repair();
    return fresh.status >= 500 && own ? own : fresh;
  } catch (fault) {
    if (own) return own;
    throw fault;
  }
}

worker.addEventListener("install", (event) => event.waitUntil(keepAll().then(() => worker.skipWaiting())));
worker.addEventListener("activate", (event) => event.waitUntil(dropOthers().catch(() => undefined).then(() => worker.clients.claim())));
worker.addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(answer(event.request));
});
