package cli

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"tiro/disk"
	"tiro/env"
	"tiro/net/kernel"
	"tiro/web"
	"tiro/web/host"
)

// serveOptions are the flags of tiro serve.
type serveOptions struct {
	catalog
	listen string
	runs   []string
	hosts  []string
	dir    string
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
others; the printed address then contains a token, which is required.`,
		Example: `  tiro serve
  tiro serve coerceo --run runs/coerceo
  tiro serve --run runs
  tiro serve pacru:players=3 --listen 127.0.0.1:8080`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: games.completeGame,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runServe(cmd, cmd.Flags().Arg(0), &o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:7365", "listen on `ADDRESS:PORT`; port 0 for any free port")
	f.StringArrayVar(&o.runs, "run", nil, "watch and play against the run in `FOLDER`; also accepts a folder of runs, a checkpoint or a weights file (repeatable)")
	f.StringArrayVar(&o.hosts, "host", nil, "accept requests for the host `NAME`, such as a proxy's (repeatable)")
	f.StringVar(&o.dir, "games", "", "keep the games in `FOLDER` (default tiro/games in the user's cache folder)")
	return cmd
}

func runServe(cmd *cobra.Command, name string, o *serveOptions) error {
	listenHost, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return usage(fmt.Errorf("--listen must be ADDRESS:PORT, such as 127.0.0.1:7365, not %q", o.listen))
	}
	names, err := web.Offered(o.Table)
	if err != nil {
		return err
	}
	var game env.Game
	if name != "" {
		names = []string{name}
		if game, err = o.newGame(name); err != nil {
			return err
		}
	}
	options := web.Options{Disk: disk.OS{}, Proxies: o.hosts}
	options.Options = host.Options{
		Find: o.newGame, Player: host.KeepFactories(o.opener(kernel.Best(), 1, nil).factory),
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
	for _, shown := range web.Reachable(address) {
		if options.Token != "" {
			shown += "/?token=" + options.Token
		}
		fmt.Fprintf(cmd.OutOrStdout(), "listening on http://%s\n", shown)
	}
	return server.Serve(cmd.Context(), listener)
}

// folder returns the folder of the games.
func (o *serveOptions) folder() (string, error) {
	if o.dir != "" {
		return o.dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w; use --games FOLDER", err)
	}
	return filepath.Join(cache, "tiro", "games"), nil
}
