// The service worker of a static page: keeps all of its files, so that the page also opens
// where nothing can be fetched.

// What of service workers is used here; the types of pages have none of it.
interface Waiting { waitUntil(work: Promise<unknown>): void }
interface Asked { request: Request; respondWith(answer: Promise<Response>): void }
const worker = self as unknown as {
  addEventListener(kind: "install" | "activate", listener: (event: Waiting) => void): void;
  addEventListener(kind: "fetch", listener: (event: Asked) => void): void;
  skipWaiting(): Promise<void>;
  clients: { claim(): Promise<void> };
};

const kept = `tiro ${new URL(".", location.href).pathname}`;
const page = ["./", "app.js", "worker.js", "style.css", "icon.svg", "site.json"];

// keepAll fetches what the page may want, and drops what an earlier one wanted.
async function keepAll(): Promise<void> {
  const cache = await caches.open(kept);
  await Promise.all(page.map(async (address) => cache.put(address, await fetch(address, { cache: "no-cache" }))));
  const site = await (await cache.match("site.json"))?.json() as { program: string; games: { weights: string }[] };
  const wanted = new Set([site.program, ...site.games.map((game) => game.weights)].map((address) => new URL(address, location.href).href));
  for (const { url } of await cache.keys()) {
    if (url.includes("?") && !wanted.has(url)) await cache.delete(url);
  }
  for (const address of wanted) {
    if (!await cache.match(address)) await cache.add(address);
  }
}

// answer prefers what is kept for an address with a checksum, and what is newest for others.
async function answer(request: Request): Promise<Response> {
  const cache = await caches.open(kept);
  const own = await cache.match(request);
  if (own && request.url.includes("?")) return own;
  try {
    const fresh = await fetch(request);
    if (fresh.ok) await cache.put(request, fresh.clone());
    return fresh;
  } catch (fault) {
    if (own) return own;
    throw fault;
  }
}

worker.addEventListener("install", (event) => event.waitUntil(keepAll().then(() => worker.skipWaiting())));
worker.addEventListener("activate", (event) => event.waitUntil(worker.clients.claim()));
worker.addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(answer(event.request));
});
