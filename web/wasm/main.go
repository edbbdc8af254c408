//go:build js && wasm

package wasm

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"syscall/js"

	"tiro/env"
	"tiro/format"
	"tiro/net/kernel"
	"tiro/web/host"
)

// maxGames is the maximum number of games in memory.
const maxGames = 100

// Main runs the page with the games of a program. It returns only if the page cannot start.
func Main(games ...env.Entry) {
	p := &page{js: js.Global().Get("tiro"), find: env.Table(games).New}
	if err := p.start(); err != nil {
		p.js.Call("failed", err.Error())
		return
	}
	select {} // the callbacks continue
}

// page is the page of this program.
type page struct {
	js   js.Value
	find env.Lookup
	host *host.Host
}

// start reads the games of the page, and starts to answer its requests.
func (p *page) start() error {
	var site host.Site
	if err := format.DecodeJSON([]byte(p.js.Get("site").String()), host.SiteHeader, &site); err != nil {
		return fmt.Errorf("%s: %w", host.SiteFile, err)
	}
	networks := &networks{page: p, games: site.Games, backend: p.backend()}
	options := host.Options{
		Find: p.find, Player: networks.player, Store: memory{p, map[string][]byte{}}, MaxGames: maxGames, Searches: 1,
		NewID: func() string { return strings.ToLower(rand.Text()) },
	}
	for _, g := range site.Games {
		options.Offers = append(options.Offers, g.Offer)
	}
	var err error
	if p.host, err = host.New(options); err != nil {
		return err
	}
	p.js.Call("ready", js.FuncOf(p.ask))
	return nil
}

// backend returns the fastest backend that the browser can run.
func (p *page) backend() kernel.Backend {
	code := kernel.SIMDModule()
	data := js.Global().Get("Uint8Array").New(len(code))
	js.CopyBytesToJS(data, code)
	if p.js.Call("kernels", data).Bool() {
		return kernel.SIMD()
	}
	return kernel.Best()
}

// ask answers the request (number, post, path, body), when the answer is known.
func (p *page) ask(_ js.Value, args []js.Value) any {
	number, r := args[0].Int(), host.Request{Post: args[1].Bool(), Path: args[2].String(), Body: []byte(args[3].String())}
	go func() {
		answer, err := p.host.Answer(context.Background(), r)
		var text []byte
		if err == nil {
			text, err = json.Marshal(answer)
		}
		if err != nil {
			p.js.Call("refused", number, err.Error())
			return
		}
		p.js.Call("answered", number, string(text))
	}()
	return nil
}

// await returns the result of a promise. Other goroutines and the worker's messages continue
// meanwhile.
func await(promise js.Value) (value js.Value, err error) {
	done := make(chan struct{})
	kept := js.FuncOf(func(_ js.Value, args []js.Value) any {
		if len(args) > 0 {
			value = args[0]
		}
		close(done)
		return nil
	})
	defer kept.Release()
	broken := js.FuncOf(func(_ js.Value, args []js.Value) any {
		err = js.Error{Value: args[0]}
		close(done)
		return nil
	})
	defer broken.Release()
	promise.Call("then", kept, broken)
	<-done
	return value, err
}
