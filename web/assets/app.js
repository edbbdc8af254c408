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
function paragraphs(text) {
  return text.split(/\n{2,}/).map((part) => {
    if (/^ |\S {3,}/m.test(part)) return make("pre", part);
    const prose = make("p");
    prose.append(...part.split("`").map((piece, i) => i % 2 === 1 ? make("code", piece) : piece));
    return prose;
  });
}

// ../src/view.ts
var human = "human";
function nameOf(view, seat) {
  return view.seats[seat]?.name ?? "";
}
function told(view, turn2) {
  return `${nameOf(view, turn2.seat)}: ${turn2.text}${turn2.did === "" ? "" : ` (${turn2.did})`}`;
}
function before(view, turn2) {
  return turn2 > 0 ? view.turns[turn2 - 1]?.ply ?? 0 : 0;
}
function lossOf(view, number) {
  let sum = 0;
  for (const loss of view.losses.slice(before(view, number), view.turns[number]?.ply ?? 0)) {
    if (loss === null) return null;
    sum += loss;
  }
  return sum;
}
var judgements = [[0.2, "blunder"], [0.1, "mistake"], [0.05, "inaccuracy"]];
var notable = 0.05;
function judge(loss) {
  return judgements.find(([least]) => loss !== null && loss >= least)?.[1] ?? "";
}
function points(loss) {
  return `−${Math.round(100 * loss)}%`;
}

// ../src/review.ts
var at = -1;
var shown = "";
function turn() {
  return at < 0 ? null : at - 1;
}
function ply(view) {
  return at < 0 ? null : before(view, at);
}
function begin(view, turns) {
  at = Math.max(0, Math.min(view.turns.length, turns));
  shown = "";
  element("board-side").classList.add("reviewing");
}
function end() {
  at = -1;
  element("board-side").classList.remove("reviewing");
}
function step(view, by) {
  begin(view, at + by);
}
function nextMistake(view) {
  const n = view.turns.length;
  for (let i = 0; i < n; i++) {
    const number = (at + i) % n;
    if ((lossOf(view, number) ?? 0) >= notable) {
      begin(view, number + 1);
      return;
    }
  }
}
function counts(view) {
  const unknown = view.turns.filter((_, i) => lossOf(view, i) === null).length;
  if (unknown > 0) return `${view.turns.length - unknown} of ${view.turns.length} moves analysed so far.`;
  return view.seats.map((seat, number) => {
    const words = view.turns.flatMap((turn2, i) => turn2.seat === number ? [judge(lossOf(view, i))] : []);
    const found = ["blunder", "mistake", "inaccuracy"].flatMap((word) => {
      const n = words.filter((one) => one === word).length;
      return n === 0 ? [] : [`${n} ${n === 1 ? word : word === "inaccuracy" ? "inaccuracies" : `${word}s`}`];
    });
    return `${seat.name}: ${found.length === 0 ? "no mistakes" : found.join(", ")}`;
  }).join(". ") + ".";
}
function describe(view) {
  const turn2 = view.turns[at - 1];
  if (!turn2) return "The start of the game";
  const loss = lossOf(view, at - 1), word = judge(loss);
  const verdict = loss === null ? "" : word === "" ? " — fine" : ` — ${word}, ${points(loss)} win chance`;
  return `Move ${at} of ${view.turns.length}: ${told(view, turn2)}${verdict}`;
}
async function show(view, transport2, say2) {
  if (at < 0) return;
  at = Math.min(at, view.turns.length);
  say2(describe(view));
  element("review-counts").textContent = counts(view);
  for (const [id, none] of [["review-first", at === 0], ["review-back", at === 0], ["review-next", at === view.turns.length], ["review-last", at === view.turns.length]]) {
    element(id).disabled = none;
  }
  element("review-mistake").disabled = !view.turns.some((_, i) => (lossOf(view, i) ?? 0) >= notable);
  element("review-play").disabled = at === view.turns.length;
  const wanted = `${view.id} ${view.version} ${at}`;
  if (wanted === shown) return;
  shown = wanted;
  const ask2 = (ply2) => transport2.ask(`games/${view.id}/positions/${ply2}`);
  const [position, earlier] = await Promise.all([ask2(before(view, at)), at > 0 ? ask2(before(view, at - 1)) : null]);
  if (shown !== wanted || at < 0) return;
  element("board").innerHTML = position.board;
  element("text").textContent = position.text;
  const best = element("review-lines"), lines = earlier?.lines ?? [];
  best.replaceChildren(...lines.map((line) => make("li", `${line.pv.join(" ")} — ${percent(line.share)} win chance`)));
  element("review-best").hidden = lines.length === 0;
}

// ../src/side.ts
var colours = 4;
function classOf(view, seat) {
  return `seat${seat % colours} seat-${nameOf(view, seat).toLowerCase().replace(/\W+/g, "-")}`;
}
function showSeats(view, ply2) {
  const latest = view.values.slice(0, ply2 + 1).reverse().find((value) => value !== null) ?? null;
  element("seats").replaceChildren(...view.seats.map((seat, i) => {
    const box = make("div", "", i === view.turn ? "seat turn" : "seat");
    const share = latest?.[i];
    const name = make("div");
    name.append(make("span", "", `swatch ${classOf(view, i)}`), seat.name, " ", make("span", seat.player === human ? "person" : seat.player, "who"));
    box.append(name, make("div", share === void 0 ? "" : percent(share), "chance"));
    if (share !== void 0) {
      const meter = make("meter");
      meter.max = 1;
      meter.value = share;
      meter.setAttribute("aria-label", `Win chance of ${seat.name}`);
      box.append(meter);
    }
    return box;
  }));
}
var left = 10;
var width = 300;
var top = 10;
var height = 90;
function showGraph(view, at2) {
  const last = Math.max(1, view.values.length - 1);
  const x = (ply2) => (left + width * ply2 / last).toFixed(1);
  const y = (share) => (top + height * (1 - share)).toFixed(1);
  const lines = view.seats.map((_, i) => {
    const known = view.values.map((value, ply2) => value ? `${x(ply2)},${y(value[i] ?? 0)}` : "").filter((point) => point !== "");
    return `<polyline class="${classOf(view, i)}" points="${known.join(" ")}"/>`;
  });
  const dots = view.turns.map((turn2, i) => {
    const share = view.values[turn2.ply]?.[turn2.seat];
    return share !== void 0 && (lossOf(view, i) ?? 0) >= notable ? `<circle class="${classOf(view, turn2.seat)}" cx="${x(turn2.ply)}" cy="${y(share)}" r="3.5"/>` : "";
  });
  const cursor = at2 === null ? "" : `<line class="cursor" x1="${x(at2)}" x2="${x(at2)}" y1="${top - 5}" y2="${top + height + 5}"/>`;
  element("graph").innerHTML = `<line class="half" x1="${left}" x2="${left + width}" y1="${y(0.5)}" y2="${y(0.5)}"/>${lines.join("")}${dots.join("")}${cursor}`;
}
function pointedAt(view, event) {
  const box = element("graph").getBoundingClientRect(), last = Math.max(1, view.values.length - 1);
  const unit = box.width / (2 * left + width);
  return Math.round(Math.max(0, Math.min(1, ((event.clientX - box.left) / unit - left) / width)) * last);
}
function lineOf(view, line, actions) {
  const text = line.turns.join(" ") + (line.more ? " …" : "");
  const button = make("button", `↳ ${text}`, "line");
  button.type = "button";
  button.setAttribute("aria-label", `Go over to the line ${nameOf(view, line.seat)}: ${text}`);
  button.addEventListener("click", () => actions.change(line.line));
  return button;
}
function showTurns(view, reviewed, actions) {
  const list = element("turns");
  const focused = [...list.querySelectorAll("button.move")].indexOf(document.activeElement);
  let next = 0;
  const rows = view.turns.map((turn2, i) => {
    const row2 = make("li"), button = make("button", `${nameOf(view, turn2.seat)}: ${turn2.text}`, "move");
    button.type = "button";
    if (turn2.did !== "") button.title = turn2.did;
    if (i === reviewed) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => actions.goto(i));
    row2.append(button);
    const loss = lossOf(view, i), word = judge(loss);
    if (loss !== null && loss >= notable) row2.append(make("span", ` ${word} ${points(loss)}`, "drop"));
    for (const line of view.lines) if (line.ply >= next && line.ply < turn2.ply) row2.append(lineOf(view, line, actions));
    next = turn2.ply;
    return row2;
  });
  const open2 = view.lines.filter((line) => line.ply >= next);
  if (open2.length > 0) {
    const row2 = make("li", "", "left");
    row2.append(...open2.map((line) => lineOf(view, line, actions)));
    rows.push(row2);
  }
  list.replaceChildren(...rows);
  list.querySelectorAll("button.move")[focused]?.focus();
  const row = reviewed === null ? void 0 : rows[Math.max(0, reviewed)];
  list.scrollTop = row ? row.offsetTop - list.offsetTop - list.clientHeight / 2 : list.scrollHeight;
}

// ../src/app.ts
var board = element("board");
var status = element("status");
var choices = element("choices");
var moveInput = element("move");
var newDialog = element("new-dialog");
var rulesDialog = element("rules-dialog");
var gameChoice = element("game-choice");
var offers = [];
var game = null;
var clicked = [];
var hinted = [];
var sending = null;
var transport;
var unwatch = () => {
};
function say(text, bad = false) {
  if (status.textContent !== text) status.textContent = text;
  status.classList.toggle("bad", bad);
}
function run(action) {
  action().catch((fault) => say(fault instanceof Error ? fault.message : String(fault), true));
}
function cellsOf(action, cells) {
  const found = [];
  for (let i = 0; i < action.length; ) {
    let length = Math.min(8, action.length - i);
    while (length > 0 && !cells.has(action.slice(i, i + length))) length--;
    if (length > 0) found.push(action.slice(i, i + length));
    i += Math.max(1, length);
  }
  return found;
}
function reachable(view, cells) {
  return view.legal.map((action) => ({ action, path: cellsOf(action, cells) })).filter(({ path }) => clicked.every((cell, i) => path[i] === cell));
}
function drawBoard(view) {
  board.innerHTML = view.board;
  element("text").textContent = view.text;
  markBoard(view);
}
function markBoard(view) {
  const shapes = [...board.querySelectorAll("[data-cell]")];
  const cells = new Set(shapes.map((shape) => shape.dataset["cell"] ?? ""));
  const open2 = reachable(view, cells);
  const next = new Set(open2.map(({ path }) => path[clicked.length]).filter((cell) => cell !== void 0));
  const named = /* @__PURE__ */ new Set();
  for (const shape of shapes) {
    const cell = shape.dataset["cell"] ?? "";
    const can = next.has(cell), chosen = clicked.includes(cell);
    shape.classList.toggle("can", can);
    shape.classList.toggle("chosen", chosen);
    if ((can || chosen) && !named.has(cell)) {
      named.add(cell);
      shape.setAttribute("tabindex", "0");
      shape.setAttribute("role", "button");
      shape.setAttribute("aria-label", chosen ? `${cell}, chosen` : cell);
    } else {
      for (const name of ["tabindex", "role", "aria-label"]) shape.removeAttribute(name);
    }
  }
  board.querySelector("svg")?.setAttribute("role", named.size > 0 ? "group" : "img");
  showChoices(view, open2);
}
function showChoices(view, open2) {
  const offered = open2.filter(({ path }) => path.length === clicked.length);
  choices.replaceChildren(...offered.map(({ action }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = action === view.claim ? "Claim a draw" : action;
    button.addEventListener("click", () => run(() => play(view, action)));
    return button;
  }));
}
function click(cell) {
  if (!game?.person || turn() !== null) return;
  const view = game;
  const cells = new Set([...board.querySelectorAll("[data-cell]")].map((shape) => shape.dataset["cell"] ?? ""));
  clicked.push(cell);
  let open2 = reachable(view, cells);
  if (open2.length === 0) {
    clicked = clicked.at(-2) === cell ? [] : [cell];
    open2 = reachable(view, cells);
    if (open2.length === 0) clicked = [];
  }
  const only = open2[0];
  if (clicked.length > 0 && open2.length === 1 && only && only.path.length === clicked.length) {
    run(() => play(view, only.action));
    return;
  }
  markBoard(view);
}
async function play(view, move) {
  clicked = [];
  if (sending) return;
  sending = view;
  try {
    show2(await transport.ask(`games/${view.id}/play`, { ply: view.ply, move }));
  } finally {
    if (sending === view) sending = null;
  }
}
function describe2(view) {
  if (view.trouble) return view.trouble;
  if (view.result) return `${view.result}.`;
  const seat = view.seats[view.turn];
  if (!seat) return "";
  const last = view.turns.at(-1);
  const moved = last ? `${told(view, last)}. ` : "";
  const note = moved + (view.note ? `${view.note}! ` : "");
  if (!view.person) return `${note}${seat.name} is thinking …`;
  if (view.mid_turn) return `${note}Now choose ${view.prompt || "what comes next"}`;
  return `${note}${seat.name} to move`;
}
function show2(view) {
  if (game?.id === view.id && view.version < game.version) return;
  if (game?.id !== view.id) end();
  if (game?.id !== view.id || view.ply !== game.ply) {
    clicked = [];
    sending = null;
    forgetHint();
  }
  game = view;
  element("title").textContent = view.title;
  document.title = `${view.title} · Tiro`;
  element("legal").replaceChildren(...view.legal.map((name) => new Option(name, name)));
  element("undo").disabled = view.ply === 0;
  element("resign").disabled = !view.person || view.seats.length !== 2;
  element("hint").disabled = !view.person;
  element("review").disabled = view.turns.length === 0;
  moveInput.disabled = !view.person;
  if (!view.person) forgetHint();
  const ply2 = ply(view);
  showSeats(view, ply2 ?? view.ply);
  showGraph(view, ply2);
  showTurns(view, turn(), { goto: (turn2) => look(turn2 + 1), change: (line) => change("line", { line }) });
  if (ply2 === null) showBoard(view);
  else run(() => show(view, transport, say));
}
function showBoard(view) {
  const focused = document.activeElement?.getAttribute("data-cell");
  say(describe2(view), view.trouble !== "");
  drawBoard(view);
  heat();
  if (focused) board.querySelector(`[data-cell="${CSS.escape(focused)}"][tabindex]`)?.focus();
}
function look(turns) {
  if (!game) return;
  clicked = [];
  choices.replaceChildren();
  begin(game, turns);
  show2(game);
}
function change(what, more = {}) {
  run(async () => {
    if (!game) return;
    const view = await transport.ask(`games/${game.id}/${what}`, { ply: game.ply, ...more });
    end();
    show2(view);
  });
}
function open(id) {
  unwatch();
  newDialog.close();
  if (location.hash !== `#${id}`) history.replaceState(null, "", `#${id}`);
  unwatch = transport.watch(id, () => run(async () => {
    const view = await transport.ask(`games/${id}`);
    if (location.hash === `#${id}`) show2(view);
  }));
}
function fillSeats() {
  const offer = offers[gameChoice.selectedIndex];
  if (!offer) return;
  element("seat-choices").replaceChildren(...offer.seats.map((name, i) => {
    const label = document.createElement("label");
    label.append(name, " ");
    const select = document.createElement("select");
    select.append(new Option("Person", human), ...offer.players.map((player) => new Option(player.text, player.name)));
    const first = offer.players[0];
    if (i > 0 && first) select.value = first.name;
    label.append(select);
    return label;
  }));
}
async function begin2() {
  const offer = offers[gameChoice.selectedIndex];
  if (!offer) return;
  const seats = [...element("seat-choices").querySelectorAll("select")].map((select) => select.value);
  const view = await transport.ask("games", { game: offer.game, seats });
  moveInput.value = "";
  show2(view);
  open(view.id);
}
async function hint() {
  if (!game) return;
  const view = game;
  say("Looking for the best moves …");
  const lines = await transport.ask(`games/${view.id}/hint`, { ply: view.ply });
  if (game.id !== view.id || game.ply !== view.ply) return;
  say(describe2(view));
  hinted = lines;
  heat();
  element("hints").replaceChildren(...lines.map((line) => {
    const row = document.createElement("li");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = line.move;
    button.addEventListener("click", () => run(() => play(view, line.move)));
    row.append(button, ` ${percent(line.share)} win chance; ${line.pv.slice(0, 6).join(" ")}`);
    return row;
  }));
}
function forgetHint() {
  hinted = [];
  element("hints").replaceChildren();
}
function heat() {
  const shapes = [...board.querySelectorAll("[data-cell]")];
  const cells = new Set(shapes.map((shape) => shape.dataset["cell"] ?? ""));
  const most2 = Math.max(...hinted.map((line) => line.prior), 0);
  const warmth = /* @__PURE__ */ new Map();
  for (const line of hinted) {
    for (const cell of cellsOf(line.move, cells)) warmth.set(cell, Math.max(warmth.get(cell) ?? 0, most2 > 0 ? line.prior / most2 : 0));
  }
  for (const shape of shapes) {
    const warm = warmth.get(shape.dataset["cell"] ?? "") ?? 0;
    shape.classList.toggle("warm", warm > 0);
    shape.style.setProperty("--warm", `${Math.round(20 + 60 * warm)}%`);
  }
}
async function save() {
  if (!game) return;
  const { record } = await transport.ask(`games/${game.id}/record`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([record], { type: "text/plain" }));
  link.download = "game.tiro";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1e3);
}
function wireReview() {
  const on = (id, act) => element(id).addEventListener("click", () => {
    if (!game) return;
    act(game);
    show2(game);
  });
  element("review").addEventListener("click", () => {
    look(game?.turns.length ?? 0);
    element("review-back").focus({ preventScroll: true });
  });
  on("review-first", (view) => begin(view, 0));
  on("review-back", (view) => step(view, -1));
  on("review-next", (view) => step(view, 1));
  on("review-last", (view) => begin(view, view.turns.length));
  on("review-mistake", (view) => nextMistake(view));
  on("review-end", () => end());
  element("review-play").addEventListener("click", () => {
    if (game) change("back", { to: ply(game) ?? game.ply });
  });
  element("graph").addEventListener("click", (event) => {
    if (!game) return;
    const ply2 = pointedAt(game, event);
    look(game.turns.filter((turn2) => turn2.ply <= ply2).length);
  });
  document.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!game || by === void 0 || turn() === null || event.target.matches("input, select, dialog *")) return;
    event.preventDefault();
    step(game, by);
    show2(game);
  });
}
function wire() {
  board.addEventListener("click", (event) => {
    const cell = event.target.closest("[data-cell]")?.getAttribute("data-cell");
    if (cell) click(cell);
  });
  board.addEventListener("keydown", (event) => {
    const cell = event.target.getAttribute("data-cell");
    if (cell && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      click(cell);
    }
  });
  element("move-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const view = game, move = moveInput.value.trim();
    if (!view || move === "") return;
    run(async () => {
      await play(view, move);
      moveInput.value = "";
    });
  });
  element("undo").addEventListener("click", () => change("undo"));
  element("resign").addEventListener("click", () => change("resign"));
  element("hint").addEventListener("click", () => run(hint));
  element("save").addEventListener("click", () => run(save));
  wireReview();
  element("new-button").addEventListener("click", () => newDialog.showModal());
  element("new-cancel").addEventListener("click", () => newDialog.close());
  element("new-form").addEventListener("submit", () => run(begin2));
  gameChoice.addEventListener("change", fillSeats);
  element("rules-button").addEventListener("click", () => {
    const offer = offers.find((one) => one.game === game?.game) ?? offers[gameChoice.selectedIndex];
    element("rules-text").replaceChildren(...paragraphs(offer?.rules ?? ""));
    rulesDialog.showModal();
  });
  const file = element("load-file");
  element("load").addEventListener("click", () => file.click());
  file.addEventListener("change", () => run(async () => {
    const chosen = file.files?.[0];
    if (!chosen) return;
    newDialog.close();
    const view = await transport.ask("games", { record: await chosen.text() });
    show2(view);
    open(view.id);
  }));
  window.addEventListener("hashchange", () => open(location.hash.slice(1)));
}
function start(to) {
  transport = to;
  run(async () => {
    wire();
    say("Loading …");
    offers = await transport.ask("offer");
    say("");
    gameChoice.replaceChildren(...offers.map((offer) => new Option(offer.title, offer.game)));
    fillSeats();
    const id = location.hash.slice(1);
    if (id === "") {
      newDialog.showModal();
      return;
    }
    show2(await transport.ask(`games/${id}`));
    open(id);
  });
}

// ../src/http.ts
async function ask(path, body) {
  const answer = await fetch(`api/${path}`, body === void 0 ? {} : {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body)
  });
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error);
  return data;
}
function watch(id, changed) {
  const events = new EventSource(`api/games/${id}/events`);
  events.onmessage = changed;
  return () => events.close();
}
var http = { ask, watch };

// ../src/kept.ts
var most = 50;
var prefix = `tiro ${new URL(".", location.href).pathname} `;
var order = `${prefix}order`;
function ids() {
  const text = localStorage.getItem(order) ?? "";
  return text === "" ? [] : text.split(" ");
}
function all() {
  const games = {};
  try {
    for (const id of ids()) {
      const game2 = localStorage.getItem(prefix + id);
      if (game2 !== null) games[id] = game2;
    }
  } catch {
  }
  return games;
}
function keep(id, game2) {
  try {
    const kept = [...ids().filter((other) => other !== id), id];
    const dropOldest = () => localStorage.removeItem(prefix + (kept.shift() ?? ""));
    while (kept.length > most) dropOldest();
    while (kept.length > 0 && !stored(prefix + id, game2)) dropOldest();
    localStorage.setItem(order, kept.join(" "));
  } catch {
  }
}
function stored(key, text) {
  try {
    localStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

// ../src/local.ts
function local() {
  const worker = new Worker("worker.js");
  const send = (message) => worker.postMessage(message);
  const waiting = /* @__PURE__ */ new Map();
  const watching = /* @__PURE__ */ new Map();
  let numbers = 0, broken = "";
  const fail = (why) => {
    broken = why;
    for (const { reject } of waiting.values()) reject(new Error(why));
    waiting.clear();
  };
  const settle = (number, how) => {
    const one = waiting.get(number);
    waiting.delete(number);
    if (one) how(one);
  };
  worker.onmessage = (event) => {
    const message = event.data;
    switch (message.kind) {
      case "answered":
        return settle(message.number, (one) => one.resolve(JSON.parse(message.answer)));
      case "refused":
        return settle(message.number, (one) => one.reject(new Error(message.why)));
      case "changed":
        return watching.get(message.number)?.();
      case "save":
        return keep(message.id, message.game);
      case "failed":
        return fail(message.why);
    }
  };
  worker.onerror = (event) => fail(event.message || "worker.js cannot be loaded");
  send({ kind: "start", saved: all() });
  return {
    ask(path, body) {
      if (broken !== "") return Promise.reject(new Error(broken));
      const number = ++numbers;
      return new Promise((resolve, reject) => {
        waiting.set(number, { resolve: (answer) => resolve(answer), reject });
        send({ kind: "ask", number, post: body !== void 0, path, body: body === void 0 ? "" : JSON.stringify(body) });
      });
    },
    watch(id, changed) {
      const number = ++numbers;
      watching.set(number, changed);
      send({ kind: "watch", number, id });
      return () => {
        watching.delete(number);
        send({ kind: "unwatch", number });
      };
    }
  };
}

// ../src/page.ts
if (document.querySelector('meta[name="transport"][content="worker"]')) {
  navigator.serviceWorker?.register("offline.js").catch(() => {
  });
  start(local());
} else {
  start(http);
  http.ask("runs").then((runs) => {
    element("runs-link").hidden = runs.length === 0;
  }, () => void 0);
}
