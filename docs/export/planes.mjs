// Evaluates positions of any game with a network of tiro; tiro encodes the positions:
//
//	tiro export bundled:coerceo --onnx coerceo.onnx
//	npm install onnxruntime-node
//	echo '{"moves":["a1a-a1e"]}' | tiro moves coerceo --planes --model bundled | node planes.mjs coerceo.onnx
//
// For each position, the program prints a line of JSON with the best action, the probability of
// each legal action, and the probability of each result (a win of each seat, a draw).
import { createInterface } from 'node:readline';
import ort from 'onnxruntime-node';

function softmax(logits) {
  const top = Math.max(...logits), e = logits.map(x => Math.exp(x - top)), sum = e.reduce((a, b) => a + b);
  return e.map(x => x / sum);
}

const session = await ort.InferenceSession.create(process.argv[2]);
for await (const line of createInterface({ input: process.stdin })) {
  const seen = JSON.parse(line);
  if (seen.error || seen.actions.length === 0) {
    console.log(line);
    continue;
  }
  const [planes, height, width] = [seen.planes.length, seen.planes[0].length, seen.planes[0][0].length];
  const x = Float32Array.from(seen.planes.flat(2));
  const { policy, outcome } = await session.run({ observation: new ort.Tensor('float32', x, [1, planes, height, width]) });
  const chances = softmax(seen.actions.map(a => policy.data[a.action]));
  const priors = Object.fromEntries(seen.actions.map((a, i) => [a.move, chances[i]]));
  const results = softmax([...outcome.data]), wins = results.slice(0, -1);
  const bySeat = wins.map((_, seat) => wins[(seat - seen.turn + wins.length) % wins.length]);
  const best = seen.actions.reduce((a, b) => (priors[b.move] > priors[a.move] ? b : a)).move;
  console.log(JSON.stringify({ best, priors, outcome: [...bySeat, results.at(-1)] }));
}
