// ../src/dom.ts
function element(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
}
function percent(share) {
  return `${Math.round(100 * share)}%`;
}

// ../src/app.ts
var human = "human";
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
var sending = false;
var transport;
var unwatch = () => {
};
function say(text, bad = false) {
  status.textContent = text;
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
  showChoices(view, open2);
}
function showChoices(view, open2) {
  const offered = open2.filter(({ path }) => path.length === clicked.length);
  choices.replaceChildren(...offered.map(({ action }) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = action;
    button.addEventListener("click", () => run(() => play(view, action)));
    return button;
  }));
}
function click(cell) {
  if (!game?.person) return;
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
  if (sending) return;
  sending = true;
  clicked = [];
  try {
    show(await transport.ask(`games/${view.id}/play`, { ply: view.ply, move }));
  } finally {
    sending = false;
  }
}
function describe(view) {
  if (view.trouble) return view.trouble;
  if (view.result) return view.result;
  const seat = view.seats[view.turn];
  if (!seat) return "";
  const note = view.note ? `${view.note}! ` : "";
  if (!view.person) return `${note}${seat.name} is thinking …`;
  return `${note}${seat.name} to move${view.mid_turn ? ", in the middle of a turn" : ""}`;
}
function showSeats(view) {
  const latest = [...view.values].reverse().find((value) => value !== null) ?? null;
  element("seats").replaceChildren(...view.seats.map((seat, i) => {
    const box = document.createElement("div");
    box.className = i === view.turn ? "seat turn" : "seat";
    const share = latest?.[i];
    const name = document.createElement("div");
    name.append(seat.name, " ");
    const who = document.createElement("span");
    who.className = "who";
    who.textContent = seat.player === human ? "person" : seat.player;
    name.append(who);
    const chance = document.createElement("div");
    chance.className = "chance";
    chance.textContent = share === void 0 ? "" : percent(share);
    box.append(name, chance);
    if (share !== void 0) {
      const meter = document.createElement("meter");
      meter.max = 1;
      meter.value = share;
      meter.setAttribute("aria-label", `Win chance of ${seat.name}`);
      box.append(meter);
    }
    return box;
  }));
}
var colours = ["#0072b2", "#d55e00", "#009e73", "#8f5aa8"];
function showGraph(view) {
  const graph = document.getElementById("graph");
  if (!graph) return;
  const last = Math.max(1, view.values.length - 1);
  const lines = view.seats.map((seat, i) => {
    const points = view.values.map((value, ply) => value ? `${(10 + 300 * ply / last).toFixed(1)},${(100 - 90 * (value[i] ?? 0)).toFixed(1)}` : "").filter((point) => point !== "");
    return `<polyline fill="none" stroke="${colours[i % colours.length]}" stroke-width="2" points="${points.join(" ")}"><title>${seat.name}</title></polyline>`;
  });
  graph.innerHTML = `<line x1="10" x2="310" y1="55" y2="55" stroke="currentColor" stroke-opacity=".3"/>${lines.join("")}`;
}
function showTurns(view) {
  const list = element("turns");
  const rows = view.turns.map((turn, i) => {
    const row = document.createElement("li");
    const before = i > 0 ? view.turns[i - 1]?.ply ?? 0 : 0;
    const was = view.values[before]?.[turn.seat], is = view.values[turn.ply]?.[turn.seat];
    row.textContent = `${view.seats[turn.seat]?.name ?? ""}: ${turn.text}`;
    if (was !== void 0 && is !== void 0 && was - is >= 0.1) {
      const drop = document.createElement("span");
      drop.className = "drop";
      drop.textContent = ` −${Math.round(100 * (was - is))} points of win chance`;
      row.append(drop);
    }
    return row;
  });
  list.replaceChildren(...rows);
  list.scrollTop = list.scrollHeight;
}
function show(view) {
  if (game && game.id === view.id) {
    if (view.version < game.version) return;
    if (view.ply !== game.ply) clicked = [];
  }
  const focused = document.activeElement?.getAttribute("data-cell");
  game = view;
  element("title").textContent = view.title;
  document.title = `${view.title} · Tiro`;
  say(describe(view), view.trouble !== "");
  drawBoard(view);
  if (focused) board.querySelector(`[data-cell="${CSS.escape(focused)}"][tabindex]`)?.focus();
  element("legal").replaceChildren(...view.legal.map((name) => new Option(name, name)));
  element("undo").disabled = view.ply === 0;
  element("resign").disabled = !view.person || view.seats.length !== 2;
  element("hint").disabled = !view.person;
  moveInput.disabled = !view.person;
  if (!view.person) element("hints").replaceChildren();
  showSeats(view);
  showGraph(view);
  showTurns(view);
}
function open(id) {
  unwatch();
  if (location.hash !== `#${id}`) history.replaceState(null, "", `#${id}`);
  unwatch = transport.watch(id, () => run(async () => {
    const view = await transport.ask(`games/${id}`);
    if (location.hash === `#${id}`) show(view);
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
async function begin() {
  const offer = offers[gameChoice.selectedIndex];
  if (!offer) return;
  const seats = [...element("seat-choices").querySelectorAll("select")].map((select) => select.value);
  const view = await transport.ask("games", { game: offer.game, seats });
  clicked = [];
  show(view);
  open(view.id);
}
async function hint() {
  if (!game) return;
  const view = game;
  say("Looking for the best moves …");
  const lines = await transport.ask(`games/${view.id}/hint`, { ply: view.ply });
  if (game.id !== view.id || game.ply !== view.ply) return;
  say(describe(view));
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
async function save() {
  if (!game) return;
  const { record } = await transport.ask(`games/${game.id}/record`);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([record], { type: "text/plain" }));
  link.download = "game.tiro";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1e3);
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
  const change = (what) => run(async () => {
    if (game) show(await transport.ask(`games/${game.id}/${what}`, { ply: game.ply }));
  });
  element("undo").addEventListener("click", () => change("undo"));
  element("resign").addEventListener("click", () => change("resign"));
  element("hint").addEventListener("click", () => run(hint));
  element("save").addEventListener("click", () => run(save));
  element("new-button").addEventListener("click", () => newDialog.showModal());
  element("new-cancel").addEventListener("click", () => newDialog.close());
  element("new-form").addEventListener("submit", () => run(begin));
  gameChoice.addEventListener("change", fillSeats);
  element("rules-button").addEventListener("click", () => {
    const offer = offers.find((one) => one.game === game?.game) ?? offers[gameChoice.selectedIndex];
    element("rules-text").textContent = offer?.rules ?? "";
    rulesDialog.showModal();
  });
  const file = element("load-file");
  element("load").addEventListener("click", () => file.click());
  file.addEventListener("change", () => run(async () => {
    const chosen = file.files?.[0];
    if (!chosen) return;
    newDialog.close();
    const view = await transport.ask("games", { record: await chosen.text() });
    show(view);
    open(view.id);
  }));
  window.addEventListener("hashchange", () => open(location.hash.slice(1)));
}
function start(to) {
  transport = to;
  run(async () => {
    wire();
    offers = await transport.ask("offer");
    gameChoice.replaceChildren(...offers.map((offer) => new Option(offer.title, offer.game)));
    fillSeats();
    const id = location.hash.slice(1);
    if (id === "") {
      newDialog.showModal();
      return;
    }
    show(await transport.ask(`games/${id}`));
    open(id);
  });
}

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
    while (kept.length > most) localStorage.removeItem(prefix + (kept.shift() ?? ""));
    localStorage.setItem(order, kept.join(" "));
    localStorage.setItem(prefix + id, game2);
  } catch {
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

// ../src/static.ts
navigator.serviceWorker?.register("offline.js").catch(() => {
});
start(local());
