// Runs a model in ONNX Runtime: node run.mjs FOLDER_OF_NODE_MODULES < request.
// The request is {"model": file, "runs": [{"shape": […], "x": […]}…]}; the
// answer is a list of {"policy": […], "policyShape": […], "outcome": […], "outcomeShape": […]}.
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const ort = createRequire(resolve(process.argv[2]) + '/')('onnxruntime-node');
const request = JSON.parse(readFileSync(0, 'utf8'));
const session = await ort.InferenceSession.create(request.model, { intraOpNumThreads: 1, interOpNumThreads: 1 });
const answers = [];
for (const { shape, x } of request.runs) {
  const { policy, outcome } = await session.run({ observation: new ort.Tensor('float32', Float32Array.from(x), shape) });
  answers.push({
    policy: Array.from(policy.data), policyShape: policy.dims,
    outcome: Array.from(outcome.data), outcomeShape: outcome.dims,
  });
}
console.log(JSON.stringify(answers));
