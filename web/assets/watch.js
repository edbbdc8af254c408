// ../src/dom.ts
function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
}
function make(tag, text = "", className = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className !== "") made.className = className;
  return made;
}
function percent(share) {
  return `${Math.round(100 * share)}%`;
}

// ../src/http.ts
async function request(address, options = {}) {
  let answer, data;
  try {
    answer = await fetch(address, options);
    data = await answer.json();
  } catch {
    throw new TypeError("The server does not answer.");
  }
  if (!answer.ok) throw new Error(data.error);
  return { data, headers: answer.headers };
}

// ../src/pointer.ts
function nearest(chart, x) {
  const lines = /* @__PURE__ */ new Map();
  for (const dot of chart.querySelectorAll(".dot")) {
    const box = dot.getBoundingClientRect(), away = Math.abs(box.left + box.width / 2 - x);
    const line = /\bd\d\b/.exec(dot.getAttribute("class") ?? "")?.[0] ?? "", best = lines.get(line);
    if (!best || away < best.away) lines.set(line, { dot, away });
  }
  return [...lines.values()].map(({ dot }) => dot);
}
function wire(charts, box) {
  const mark = (dots) => {
    for (const dot of charts.querySelectorAll(".pointed")) dot.classList.remove("pointed");
    for (const dot of dots) dot.classList.add("pointed");
    box.hidden = dots.length === 0;
  };
  const show3 = (event) => {
    const chart = event.target.closest("svg.chart"), dots = chart ? nearest(chart, event.clientX) : [];
    mark(dots);
    box.replaceChildren(...dots.map((dot) => make("div", dot.querySelector("title")?.textContent ?? "")));
    const left = Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8), top = Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 8);
    box.style.left = `${Math.max(8, left)}px`;
    box.style.top = `${Math.max(8, top)}px`;
  };
  charts.addEventListener("pointermove", show3);
  charts.addEventListener("pointerdown", show3);
  charts.addEventListener("pointerleave", () => mark([]));
}

// ../src/replay.ts
var whole = 2e4;
var quickest = 80;
var slowest = 700;
var end = 2500;
var board = element("board");
var slider = element("ply");
var replay = null;
var at = 0;
var timer = 0;
function frames() {
  return replay?.games[0]?.frames ?? [];
}
function show(to) {
  const all = frames();
  at = Math.max(0, Math.min(all.length - 1, to));
  const frame = all[at];
  if (!replay || !frame) return;
  const drawing = frame.lines.map((line) => replay?.drawings[line] ?? "").join("");
  if (replay.svg) board.innerHTML = drawing;
  else board.replaceChildren(make("pre", drawing));
  const where = at === 0 ? "the start" : `move ${at} of ${all.length - 1}, ${frame.move}`;
  board.setAttribute("aria-label", `Board: ${where}`);
  slider.max = String(all.length - 1);
  slider.value = String(at);
  slider.setAttribute("aria-valuetext", where);
  opinion(replay, frame, all.length - 1);
}
function row(table, tag, ...cells) {
  const line = table.insertRow();
  for (const cell of cells) line.append(make(tag, cell));
}
function opinion(of, frame, last) {
  const box = element("opinion");
  box.replaceChildren(make("h3", at === 0 ? "Start" : `Move ${at} of ${last}: ${frame.move}`));
  if (frame.search) {
    const values = make("table");
    row(values, "th", "", ...of.seats);
    row(values, "td", "expected payoff", ...frame.search.map((v) => (v < 0 ? "−" : "+") + Math.abs(v).toFixed(2)));
    box.append(values);
  }
  if (frame.policy) {
    const moves = make("table");
    row(moves, "th", "search", "");
    for (const guess of frame.policy) row(moves, "td", guess.move, percent(guess.p));
    box.append(moves);
  }
  if (at === last) box.append(make("p", of.games[0]?.title ?? ""));
  else if (frame.opening) box.append(make("p", "The next move belongs to the random opening."));
  else if (!frame.search) box.append(make("p", "The next move came from a short search, which is not recorded."));
}
function open(game) {
  replay = game;
  show(0);
}
function play(ended) {
  stop();
  const last = frames().length - 1;
  const pause = at >= last ? end : Math.min(slowest, Math.max(quickest, whole / Math.max(1, last)));
  timer = window.setTimeout(() => {
    if (at >= last) {
      ended();
      return;
    }
    show(at + 1);
    play(ended);
  }, pause);
}
function stop() {
  window.clearTimeout(timer);
}
function wire2(byHand) {
  const go = (to) => () => {
    byHand();
    show(to());
  };
  element("first").addEventListener("click", go(() => 0));
  element("back").addEventListener("click", go(() => at - 1));
  element("next").addEventListener("click", go(() => at + 1));
  element("last").addEventListener("click", go(() => frames().length));
  slider.addEventListener("input", go(() => Number(slider.value)));
}

// ../src/watch.ts
var runChoice = element("run");
var gameChoice = element("game");
var followButton = element("follow");
var listEvery = 5e3;
var askEvery = 1e3;
var runs = [];
var known = "";
var status = null;
var watched = "";
var silent = false;
var drawn = -1;
var shown = "";
var following = !matchMedia("(prefers-reduced-motion: reduce)").matches;
var announced = -1;
var ahead = 0;
function now() {
  return Date.now() + ahead;
}
async function ask(path) {
  const { data, headers } = await request(path);
  const at2 = Number(headers.get("Tiro-Now"));
  if (at2 > 0) ahead = at2 - Date.now();
  return data;
}
function tell(text) {
  const box = element("fault");
  if (box.textContent !== text) box.textContent = text;
}
function failed(fault) {
  if (fault instanceof TypeError) drawn = -1;
  tell(fault instanceof TypeError ? "The server does not answer. Retrying …" : fault.message);
}
function run(action) {
  action().catch(failed);
}
function length(time) {
  const seconds = Math.max(0, Math.round(time / 1e3));
  if (seconds < 100) return `${seconds} s`;
  if (seconds < 100 * 60) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}
function describe(s) {
  const next = s.generation + 1;
  switch (s.phase) {
    case "waiting":
      return "There is no run here yet. It will appear when it starts.";
    case "broken":
      return "The run folder cannot be read.";
    case "stopped":
      return `Stopped after generation ${s.generation}: ${s.last}.`;
    case "quiet":
      return `No activity for ${length(now() - s.written)}; the training has probably ended, after generation ${s.generation}.`;
  }
  const left = s.next > now() ? `; complete in about ${length(s.next - now())}` : "";
  if (s.phase === "learning") return `Generation ${next}: learning from its ${s.games} games${left}.`;
  return `Generation ${next}: ${s.playing} of ${s.games} games played${left}.`;
}
function fact(list2, name, value) {
  const pair = make("div");
  pair.append(make("dt", name), make("dd", value));
  list2.append(pair);
}
function showTimes() {
  if (!status) return;
  const s = status, facts = element("facts");
  element("state").textContent = describe(s);
  facts.replaceChildren();
  if (s.game === "") return;
  fact(facts, "Game", s.game);
  fact(facts, "Generation", s.target > 0 ? `${s.generation} of ${s.target}` : String(s.generation));
  if (s.rating) fact(facts, `Rating of generation ${s.rating.generation}`, `${s.rating.elo < 0 ? "−" : "+"}${Math.abs(s.rating.elo)} ± ${s.rating.error} Elo`);
  if (s.ends > 0) fact(facts, "Time left", length(s.ends - now()));
  if (s.written > 0) fact(facts, "Last activity", `${length(now() - s.written)} ago`);
}
function showWords(s) {
  const lines = s.words.map((text) => make("p", text));
  for (const finding of s.findings) {
    const line = make("p");
    line.append(make("strong", finding.name, "bad"), `: ${finding.text}`);
    lines.push(line);
  }
  if (s.generation >= 3 && s.findings.length === 0) lines.push(make("p", "No problems found."));
  if (lines.length === 0) lines.push(make("p", "No data until the first generation is complete.", "soft"));
  element("words").replaceChildren(...lines);
}
var smoothing = element("smoothing");
var mostOthers = 4;
function others() {
  return [...element("others").querySelectorAll("input:checked")].map((box) => box.value);
}
function showOthers() {
  const before = others(), all = runs.filter((one) => one.id !== watched);
  element("others").hidden = all.length === 0;
  element("others").replaceChildren(make("legend", "Show these runs too"), ...all.map((one) => {
    const label = make("label"), box = make("input");
    box.type = "checkbox";
    box.value = one.id;
    box.checked = before.includes(one.id);
    box.addEventListener("change", () => {
      if (others().length > mostOthers) box.checked = false;
      redraw();
    });
    label.append(box, one.name);
    return label;
  }));
}
function redraw() {
  const s = status;
  if (s) run(() => showCharts(s.id, s.charts));
}
async function showCharts(id, version) {
  drawn = version;
  const query = new URLSearchParams(others().map((other) => ["with", other]));
  if (smoothing.value !== "0") query.set("smooth", smoothing.value);
  const charts = await ask(`api/runs/${id}/charts?${query}`);
  if (status?.id !== id) return;
  element("charts").replaceChildren(...charts.figures.map((figure) => {
    const section = make("section"), legend = make("div");
    section.append(make("h2", figure.title));
    section.insertAdjacentHTML("beforeend", figure.svg);
    legend.innerHTML = figure.legend;
    section.append(legend);
    if (figure.note !== "") section.append(make("p", figure.note, "soft"));
    return section;
  }));
}
function keyOf(game) {
  return `${game.generation}/${game.number}`;
}
function showGames(s) {
  const keys = s.latest.map(keyOf);
  const options = s.latest.map((game) => new Option(`Generation ${game.generation}, game ${game.number}: ${game.title}`, keyOf(game)));
  const kept = gameChoice.selectedOptions[0];
  if (shown !== "" && !keys.includes(shown) && kept) options.push(new Option(kept.text, shown));
  const same = options.length === gameChoice.options.length && options.every((option, i) => option.value === gameChoice.options[i]?.value);
  if (!same) {
    gameChoice.replaceChildren(...options);
    if (shown !== "") gameChoice.value = shown;
  }
  element("games-side").hidden = options.length === 0;
  const newest = keys[0];
  if (shown === "" && newest !== void 0) openGame(newest);
}
function openGame(key) {
  shown = key;
  gameChoice.value = key;
  const id = status?.id;
  run(async () => {
    const game = await ask(`api/runs/${id}/games/${key}`).catch((fault) => {
      if (shown === key) shown = "";
      throw fault;
    });
    if (status?.id !== id || shown !== key) return;
    open(game);
    if (following) play(playNext);
  });
}
function playNext() {
  const newest = status?.latest[0];
  if (!newest) return;
  if (keyOf(newest) === shown) play(playNext);
  else openGame(keyOf(newest));
}
function follow(on) {
  following = on;
  followButton.setAttribute("aria-pressed", String(on));
  if (on) playNext();
  else stop();
}
function show2(s) {
  status = s;
  tell(s.fault);
  showTimes();
  showWords(s);
  showGames(s);
  const progress = element("progress");
  progress.hidden = s.phase !== "self-play" && s.phase !== "learning";
  progress.max = Math.max(1, s.games);
  progress.value = s.playing;
  document.title = `${s.name}, generation ${s.generation} · Tiro`;
  if (announced >= 0 && s.generation > announced) element("news").textContent = `Generation ${s.generation} is complete.`;
  announced = s.generation;
  if (s.charts !== drawn) run(() => showCharts(s.id, s.charts));
}
async function poll() {
  const id = watched;
  if (id === "") return;
  try {
    const newest = await ask(`api/runs/${id}`);
    if (id === watched && (silent || newest.charts !== drawn || JSON.stringify(newest) !== JSON.stringify(status))) show2(newest);
    silent = false;
  } catch (fault) {
    silent = true;
    failed(fault);
  }
}
function watch(id) {
  watched = id;
  stop();
  status = null;
  drawn = announced = -1;
  shown = "";
  element("charts").replaceChildren();
  showOthers();
  gameChoice.replaceChildren();
  history.replaceState(null, "", `#${id}`);
  void poll();
}
async function list() {
  const listed = await ask("api/runs");
  if (JSON.stringify(listed) === known) return;
  known = JSON.stringify(listed);
  runs = listed;
  runChoice.replaceChildren(...runs.map((one) => new Option(one.name, one.id)));
  const wanted = status?.id ?? location.hash.slice(1);
  const chosen = runs.find((one) => one.id === wanted) ?? runs[0];
  if (!chosen) {
    element("state").textContent = "No runs to watch. Start the server with tiro serve --run FOLDER.";
    return;
  }
  runChoice.value = chosen.id;
  if (status?.id !== chosen.id) watch(chosen.id);
  else showOthers();
}
runChoice.addEventListener("change", () => watch(runChoice.value));
gameChoice.addEventListener("change", () => {
  follow(false);
  openGame(gameChoice.value);
});
followButton.addEventListener("click", () => follow(!following));
smoothing.addEventListener("change", redraw);
wire(element("charts"), element("pointed"));
wire2(() => follow(false));
followButton.setAttribute("aria-pressed", String(following));
run(list);
setInterval(() => run(list), listEvery);
setInterval(showTimes, 1e3);
setInterval(() => void poll(), askEvery);
