package cli

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"rsc.io/qr"

	"tiro/disk"
	"tiro/env"
	neural "tiro/net"
	"tiro/web"
	"tiro/web/host"
)

// serveOptions are the flags of tiro serve.
type serveOptions struct {
	catalog
	listen  string
	base    string
	cert    string
	key     string
	token   string
	runs    []string
	hosts   []string
	dir     string
	backend neural.Backend
}

func serveCommand(games catalog) *cobra.Command {
	o := serveOptions{catalog: games}
	cmd := &cobra.Command{
		Use:   "serve [GAME]",
		Short: "Play in a browser, and watch training runs there",
		Long: `Serve plays games in the browser, at the address that it prints. Each seat is taken by a
human, a bundled model at one of its levels, the newest network of a run (--run), or
another player. Games are saved in a folder and survive a restart. Without GAME, all games
are offered.

/watch shows the runs of --run while they train: curves, rating, recent games on a board, a
diagnosis, and the time left. A folder of runs stands for all of them. The watch page is
read-only.

By default only this machine can connect. --listen 0.0.0.0:8080 opens the server to
others; the printed address then contains a token, which is required, and a terminal also
shows the address as a QR code. --token keeps the token in a file, so that it stays the
same. --tls-cert and --tls-key encrypt connections.

Behind a proxy, set --host to the proxy's name and --base to the path that it forwards.
/healthz answers every request, and /metrics has the newest metrics of the runs for
Prometheus (docs/BROWSER.md).`,
		Example: `  tiro serve
  tiro serve coerceo --run runs/coerceo
  tiro serve --run runs
  tiro serve pacru:players=3 --listen 127.0.0.1:8080
  tiro serve --listen 127.0.0.1:8080 --host games.example.org --base /tiro/`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: games.completeGame,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runServe(cmd, cmd.Flags().Arg(0), &o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:7365", "listen on `ADDRESS:PORT`; port 0 for any free port")
	f.StringArrayVar(&o.runs, "run", nil, "watch and play against the run in `FOLDER`; also accepts a folder of runs, a checkpoint or a weights file (repeatable)")
	f.StringArrayVar(&o.hosts, "host", nil, "accept requests for the host `NAME`, such as a proxy's (repeatable)")
	f.StringVar(&o.base, "base", "/", "serve the pages at the path `PATH`, such as /tiro/")
	f.StringVar(&o.cert, "tls-cert", "", "use HTTPS with the certificate in `FILE` (PEM)")
	f.StringVar(&o.key, "tls-key", "", "use the key of the certificate in `FILE` (PEM)")
	cmd.MarkFlagsRequiredTogether("tls-cert", "tls-key")
	f.StringVar(&o.token, "token", "", "require the token in `FILE`, which is created if necessary (default a new token if other machines can connect)")
	f.StringVar(&o.dir, "games", "", "keep the games in `FOLDER` (default tiro/games in the user's cache folder)")
	backendVar(cmd, &o.backend)
	return cmd
}

func runServe(cmd *cobra.Command, name string, o *serveOptions) error {
	listenHost, port, err := net.SplitHostPort(o.listen)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return usage(fmt.Errorf("--listen must be ADDRESS:PORT, such as 127.0.0.1:7365, not %q", o.listen))
	}
	var game env.Game
	if name != "" {
		if game, err = o.newGame(name); err != nil {
			return err
		}
	}
	base := "/" + strings.TrimPrefix(strings.TrimSuffix(o.base, "/")+"/", "/")
	options := web.Options{Disk: disk.OS{}, Base: base, Certificate: o.cert, Key: o.key}
	for _, name := range o.hosts {
		if net.ParseIP(name) == nil && !regexp.MustCompile(`^[A-Za-z0-9.-]+$`).MatchString(name) {
			return usage(fmt.Errorf("--host must be a name or an address without a port, such as games.example.org, not %q", name))
		}
		options.Proxies = append(options.Proxies, strings.ToLower(name))
	}
	options.Options = host.Options{
		Find: o.newGame, Player: web.Players(o.opener(o.backend, 1, nil).factory),
		MaxGames: 1000, Searches: runtime.GOMAXPROCS(0),
		NewID: func() string { return strings.ToLower(rand.Text()) },
	}
	seats := web.Seats{Games: o.Table, Find: o.newGame}
	for _, run := range o.runs {
		there, err := seats.Add(run, game)
		if err != nil {
			return err
		}
		if !there {
			fmt.Fprintf(cmd.ErrOrStderr(), "%s does not exist yet; its page waits for it\n", run)
		}
	}
	names := []string{name}
	if name == "" {
		if names, err = seats.Offered(); err != nil {
			return err
		}
	}
	for _, n := range names {
		game, err := o.newGame(n)
		if err != nil {
			return err
		}
		offer, err := seats.Offer(game)
		if err != nil {
			return err
		}
		options.Offers = append(options.Offers, offer)
	}
	options.Runs = seats.Watched
	if options.Dir, err = o.folder(); err != nil {
		return err
	}
	if options.Token, err = readToken(o.token); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	address := listener.Addr().(*net.TCPAddr)
	if err := options.Admit(address.IP, listenHost, strings.ToLower(rand.Text())); err != nil {
		return errors.Join(err, listener.Close())
	}
	server, err := web.New(options)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	announce(cmd.OutOrStdout(), &options, address)
	return server.Serve(cmd.Context(), listener)
}

// folder returns the folder of the games.
func (o *serveOptions) folder() (string, error) {
	if o.dir != "" {
		return o.dir, nil
	}
	cache, err := os.UserCacheDir()
	dir := filepath.Join(cache, "tiro", "games")
	if err == nil {
		err = disk.MkdirAll(disk.OS{}, dir)
	}
	if err != nil {
		return "", fmt.Errorf("%w; use --games FOLDER", err)
	}
	return dir, nil
}

// announce prints the addresses of a server. If other machines can reach it, a terminal also
// shows the first of their addresses as a QR code.
func announce(w io.Writer, options *web.Options, address *net.TCPAddr) {
	reachable := web.Reachable(address)
	if options.Certificate != "" { // which is valid for names
		for _, name := range options.Proxies {
			reachable = append(reachable, net.JoinHostPort(name, strconv.Itoa(address.Port)))
		}
	}
	phone := ""
	for _, shown := range reachable {
		shown = options.Scheme() + "://" + shown
		if options.Base != "/" || options.Token != "" {
			shown += options.Base
		}
		if options.Token != "" {
			shown += "?token=" + options.Token
		}
		fmt.Fprintf(w, "listening on %s\n", shown)
		if u, err := url.Parse(shown); err == nil && !net.ParseIP(u.Hostname()).IsLoopback() && (phone == "" || net.ParseIP(u.Hostname()) == nil) {
			phone = shown
		}
	}
	if phone != "" && terminalOf(w) != nil {
		fmt.Fprint(w, qrCode(phone))
	}
}

// qrCode returns a QR code as text for a terminal of any colours, or "" if text is too long.
func qrCode(text string) string {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return ""
	}
	const quiet = 2 // modules around the code
	var b strings.Builder
	for y := -quiet; y < code.Size+quiet; y += 2 { // a character has two modules, one above the other
		b.WriteString("\x1b[97;40m")
		for x := -quiet; x < code.Size+quiet; x++ {
			upper, lower := code.Black(x, y), code.Black(x, y+1) // outside the code all is white
			switch {
			case upper && lower:
				b.WriteString(" ")
			case upper:
				b.WriteString("▄")
			case lower:
				b.WriteString("▀")
			default:
				b.WriteString("█")
			}
		}
		b.WriteString("\x1b[0m\n")
	}
	return b.String()
}

// readToken returns the token in a file, which it creates if necessary. Without a file, it
// returns "".
func readToken(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		token := strings.ToLower(rand.Text())
		_, err = file.WriteString(token + "\n")
		return token, errors.Join(err, file.Close())
	}
	if !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	data, err := os.ReadFile(path)
	token := string(bytes.TrimSpace(data))
	if err == nil && !regexp.MustCompile(`^[A-Za-z0-9_-]{16,}$`).MatchString(token) {
		err = fmt.Errorf("%s has no token; a token has at least 16 letters and digits", path)
	}
	return token, err
}
