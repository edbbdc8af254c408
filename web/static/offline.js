// ../src/offline.ts
var worker = self;
var kept = `tiro ${new URL(".", location.href).pathname}`;
var page = ["./", "app.js", "worker.js", "style.css", "icon.svg", "site.json"];
async function keepAll() {
  const cache = await caches.open(kept);
  await Promise.all(page.map(async (address) => cache.put(address, await fetch(address, { cache: "no-cache" }))));
  const site = await (await cache.match("site.json"))?.json();
  const wanted = new Set([site.program, ...site.games.map((game) => game.weights)].map((address) => new URL(address, location.href).href));
  for (const { url } of await cache.keys()) {
    if (url.includes("?") && !wanted.has(url)) await cache.delete(url);
  }
  for (const address of wanted) {
    if (!await cache.match(address)) await cache.add(address);
  }
}
async function answer(request) {
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
