package wasm_test

import (
	"encoding/base64"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"tiro/internal/effort"
	"tiro/net/kernel/wasm"
)

// run runs the only function of a module in node, at address 64 of a memory in which each integer
// holds its index, and returns the integers from there on.
const run = `
const mem = new WebAssembly.Memory({ initial: 1 });
const words = new Int32Array(mem.buffer);
words.forEach((_, i) => { words[i] = i; });
const module = new WebAssembly.Module(Buffer.from(process.argv[1], "base64"));
Object.values(new WebAssembly.Instance(module, { go: { mem } }).exports)[0](64);
process.stdout.write(words.slice(16, 24).join(" "));`

func TestModules(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		effort.NotChecked(t, "WebAssembly: %v", err)
	}
	const address = wasm.Local(0)
	for _, c := range []struct {
		name  string
		write func(f *wasm.Func)
		want  string
	}{
		{"nothing", func(*wasm.Func) {}, "16 17 18 19 20 21 22 23"},
		{"constants", func(f *wasm.Func) {
			for i, n := range []int{0, -1, 63, 64, -64, -65, 1 << 20, -1 << 31} {
				f.Get(address).Const(n).Store(wasm.I32Store, 4*i)
			}
		}, "0 -1 63 64 -64 -65 1048576 -2147483648"},
		{"loop and condition", func(f *wasm.Func) {
			left := f.Local(wasm.I32)
			f.Const(5).Set(left).Count(left, func() {
				f.Get(left).Const(3).Op(wasm.I32GeS).If(func() { f.Move(address, func() { f.Const(4) }) })
				f.Get(address).Get(left).Store(wasm.I32Store, 0)
			})
		}, "16 5 4 1 20 21 22 23"},
		{"vectors", func(f *wasm.Func) {
			v := f.Local(wasm.V128)
			f.Floats(1).Floats(0.5).Op(wasm.F32x4Add).Floats(2).Op(wasm.F32x4Mul).Set(v) // 3
			f.Get(address).Get(v).Floats(4).Op(wasm.F32x4PMax).Store(wasm.V128Store, 0)  // 4
			f.Get(address).Get(address).Load(wasm.V128Load32Splat, 0).Get(v).Floats(3).Op(wasm.F32x4Gt, wasm.V128And).Store(wasm.V128Store, 16)
		}, "1082130432 1082130432 1082130432 1082130432 0 0 0 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := wasm.NewModule("go", "mem")
			c.write(m.Func("f", wasm.I32))
			out, err := exec.Command(node, "-e", run, base64.StdEncoding.EncodeToString(m.Bytes())).CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.Equal(t, c.want, string(out))
		})
	}
}
