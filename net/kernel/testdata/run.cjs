// Runs a Go program for js/wasm in node, with the kernels that it brings along:
//
//	GOOS=js GOARCH=wasm go test -exec "node testdata/run.cjs" .
//
// The program has them instantiated by the function tiroKernels.
"use strict";
const { execFileSync } = require("child_process");
const path = require("path");

Object.assign(globalThis, { require, fs: require("fs"), path });
const root = execFileSync("go", ["env", "GOROOT"], { encoding: "utf8" }).trim();
require(path.join(root, "lib", "wasm", "wasm_exec.js"));

const go = new Go();
go.argv = process.argv.slice(2);
go.env = { TMPDIR: require("os").tmpdir(), ...process.env };
go.exit = process.exit;

let kernels = {};
const module_ = new WebAssembly.Module(fs.readFileSync(process.argv[2]));
for (const { module: from, name } of WebAssembly.Module.imports(module_)) {
	if (from === "tiro") (go.importObject.tiro ??= {})[name] = (address) => kernels[name](address);
}
const program = new WebAssembly.Instance(module_, go.importObject);
globalThis.tiroKernels = (bytes) => {
	const { mem } = program.exports;
	kernels = new WebAssembly.Instance(new WebAssembly.Module(bytes), { go: { mem } }).exports;
};
process.on("exit", (code) => {
	if (code === 0 && !go.exited) {
		go._pendingEvent = { id: 0 }; // a deadlock: Go prints its stacks
		go._resume();
	}
});
go.run(program);
