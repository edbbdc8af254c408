// ../src/offline.ts
var worker = self;
var prefix = `tiro ${new URL(".", location.href).pathname} `;
var page = ["./", "app.js", "worker.js", "style.css", "icon.svg", "site.json"];
var whole = "./?whole";
async function digest(data) {
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", data));
  return Array.from(sum, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
async function fetched(address) {
  const answer2 = await fetch(address, { cache: "no-cache" });
  if (!answer2.ok) throw new Error(`${address}: ${answer2.status}`);
  const data = new Uint8Array(await answer2.arrayBuffer());
  const [path = "", sum = ""] = address.split("?");
  const undone = path.endsWith(".gz") && data[0] !== 31;
  if (!undone && !(await digest(data)).startsWith(sum)) throw new Error(`${address}: another file`);
  return { data, type: answer2.headers.get("Content-Type") ?? "" };
}
var sumHeader = "tiro-sum";
async function put(cache, address, { data, type }) {
  await cache.put(address, new Response(data, { headers: { "Content-Type": type, [sumHeader]: await digest(data) } }));
}
async function taken(cache, request) {
  const own = await cache?.match(request);
  if (!own) return null;
  const data = new Uint8Array(await own.arrayBuffer());
  if (await digest(data) !== own.headers.get(sumHeader)) return null;
  return { data, type: own.headers.get("Content-Type") ?? "" };
}
async function versions() {
  return (await caches.keys()).filter((name) => name === prefix.trimEnd() || name.startsWith(prefix));
}
async function newest() {
  for (const name of (await versions()).reverse()) {
    if (await (await caches.open(name)).match(whole)) return name;
  }
  return "";
}
async function newestCache() {
  const name = await newest();
  return name === "" ? void 0 : caches.open(name);
}
async function kept(request) {
  try {
    const cache = await newestCache();
    const file = await taken(cache, request) ?? (request.mode === "navigate" ? await taken(cache, "./") : null);
    return file && new Response(file.data, { headers: { "Content-Type": file.type } });
  } catch {
    return null;
  }
}
async function keepAll() {
  const files = await Promise.all(page.map(fetched));
  const name = prefix + await digest(await new Blob(files.map((file) => file.data)).arrayBuffer());
  const site = JSON.parse(new TextDecoder().decode(files.at(-1)?.data));
  const before = await newestCache();
  const large = [];
  for (const address of /* @__PURE__ */ new Set([site.program, ...site.games.map((game) => game.weights)])) {
    large.push([address, await taken(before, address) ?? await fetched(address)]);
  }
  await caches.delete(name);
  try {
    const cache = await caches.open(name);
    for (const [i, address] of page.entries()) await put(cache, address, files[i]);
    for (const [address, file] of large) await put(cache, address, file);
    await cache.put(whole, new Response(""));
  } catch (fault) {
    await caches.delete(name);
    throw fault;
  }
}
async function dropOthers() {
  const own = await newest();
  if (own === "") return;
  for (const name of await versions()) {
    if (name !== own) await caches.delete(name);
  }
}
var repaired = false;
function repair() {
  if (repaired) return;
  repaired = true;
  keepAll().then(dropOthers).catch(() => void 0);
}
async function answer(request) {
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
worker.addEventListener("activate", (event) => event.waitUntil(dropOthers().catch(() => void 0).then(() => worker.clients.claim())));
worker.addEventListener("fetch", (event) => {
  if (event.request.method === "GET") event.respondWith(answer(event.request));
});
