// Command gen bundles the page's TypeScript into the script that is embedded:
//
//	go -C web/gen run . ../src/serve.ts ../assets/app.js
package main

import (
	"fmt"
	"os"

	"github.com/evanw/esbuild/pkg/api"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: gen SOURCE SCRIPT")
		os.Exit(2)
	}
	result := api.Build(api.BuildOptions{
		EntryPoints: []string{os.Args[1]},
		Outfile:     os.Args[2],
		Bundle:      true,
		Format:      api.FormatESModule,
		Target:      api.ES2022,
		Charset:     api.CharsetUTF8,
		LogLevel:    api.LogLevelWarning,
		Write:       true,
	})
	if len(result.Errors) > 0 {
		os.Exit(1)
	}
}
