// Command gen bundles TypeScript of the page into the scripts that are embedded:
//
//	go -C web/gen run . ../src/page.ts ../assets/app.js
//
// The import wasm_exec is a file of the Go release that runs this command.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: gen SOURCE SCRIPT")
		os.Exit(2)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen: go env GOROOT:", err)
		os.Exit(1)
	}
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{os.Args[1]},
		Outfile:     os.Args[2],
		Alias:       map[string]string{"wasm_exec": filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js")},
		Bundle:      true,
		Format:      api.FormatESModule,
		Target:      api.ES2022,
		// Otherwise the script has a comment with a folder of this machine.
		MinifyWhitespace: filepath.Base(os.Args[1]) == "worker.ts",
		Charset:          api.CharsetUTF8,
		LogLevel:         api.LogLevelWarning,
		Write:            true,
	})
	if len(result.Errors) > 0 {
		os.Exit(1)
	}
}
