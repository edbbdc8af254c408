#!/bin/sh
# Plays Go and Othello with bin/tiro through the GTP client of Sabaki, and analyses a
# position of Go. Needs node; installs @sabaki/gtp with npm in .cache/sabaki.
set -eu
cd "$(dirname "$0")/.."
folder=.cache/sabaki
sh scripts/npm.sh sabaki @sabaki/gtp@3.0.0
cat >"$folder/play.js" <<'END'
const { Command, Controller, ControllerStateTracker } = require("@sabaki/gtp");
const assert = require("assert");

async function play(game) {
  const controller = new Controller(process.argv[2], ["engine", game, "--protocol", "gtp", "--sims", "20"]);
  controller.start();
  const ask = async line => {
    const answer = await controller.sendCommand(Command.fromString(line));
    assert(!answer.error, `${line}: ${answer.content}`);
    return answer.content;
  };
  assert.equal(await ask("name"), "Tiro");
  for (let passes = 0, moves = 0; passes < 2 && moves < 300; moves++) {
    const move = await ask(`genmove ${"bw"[moves % 2]}`);
    passes = /pass/i.test(move) ? passes + 1 : 0;
  }
  console.log(game, await ask("final_score"));
  if (game === "go") {
    const tracker = new ControllerStateTracker(controller);
    const history = [["set_free_handicap", "D4", "E5"], ["play", "W", "C3"], ["play", "B", "F6"]].map(([name, ...args]) => ({ name, args }));
    await tracker.sync({ komi: 0.5, boardsize: [9, 9], history });
    await tracker.sync({ komi: 6.5, boardsize: [9, 9], history: history.slice(0, 2) });
    assert.equal(await ask("final_score"), "W+5.5");
    const lines = [];
    const analysis = await controller.sendCommand({ name: "lz-analyze", args: ["B", "5"] }, ({ line }) => {
      if (lines.push(line) === 3) controller.sendCommand({ name: "name" });
    });
    assert(!analysis.error);
    assert.match(lines[2], /^info move [A-J][1-9] visits \d+ winrate \d+ prior \d+ order 0 pv /);
  }
  await controller.stop();
}

play("othello").then(() => play("go")).catch(fault => {
  console.error(fault);
  process.exit(1);
});
END
NODE_PATH=$folder/node_modules node "$folder/play.js" "${TIRO:-bin/tiro}"
