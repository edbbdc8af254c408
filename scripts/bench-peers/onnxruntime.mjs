// A contender of bench-peers: inference in ONNX Runtime's CPU provider.
// node onnxruntime.mjs FOLDER JOB, where FOLDER contains node_modules.
import { createRequire } from 'node:module';
import path from 'node:path';
import readline from 'node:readline';

const [folder, argument] = process.argv.slice(2);
const ort = createRequire(path.resolve(folder, 'index.js'))('onnxruntime-node');
const job = JSON.parse(argument);

const session = await ort.InferenceSession.create(job.model, {
  executionProviders: ['cpu'],
  intraOpNumThreads: job.threads,
  interOpNumThreads: 1,
  graphOptimizationLevel: 'all',
});
const dims = [job.batch, job.planes, job.side, job.side];
const x = Float32Array.from({ length: dims.reduce((a, b) => a * b) }, Math.random);
const feeds = { [session.inputNames[0]]: new ort.Tensor('float32', x, dims) };

for (let done = 0; done < 2048; done += job.batch) await session.run(feeds);
console.log('ready');
for await (const line of readline.createInterface({ input: process.stdin })) {
  const seconds = Number(line);
  const start = performance.now();
  let batches = 0;
  while (performance.now() - start < 1000 * seconds) {
    await session.run(feeds);
    batches++;
  }
  console.log(batches * job.batch, (performance.now() - start) / 1000);
}
