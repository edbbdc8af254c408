// Plays Connect Four in node:
//
//	tiro export bundled:connect4 --onnx connect4.onnx
//	npm install onnxruntime-node
//	echo 4453 | node connect4-node.mjs connect4.onnx
//
// Each line of standard input is the moves of a game so far; for each, the program prints a line
// of JSON.
import { readFileSync } from 'node:fs';
import ort from 'onnxruntime-node';
import { think } from './connect4.mjs';

const session = await ort.InferenceSession.create(process.argv[2]);
const games = readFileSync(0, 'utf8').replace(/\n$/, '').split('\n');
for (let i = 0; i < games.length; i += 64) {
  for (const answer of await think(ort, session, games.slice(i, i + 64))) console.log(JSON.stringify(answer));
}
