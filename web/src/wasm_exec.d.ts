// Go's runtime for JavaScript, which comes with Go (lib/wasm) and defines the class Go.
declare module "wasm_exec" {}
