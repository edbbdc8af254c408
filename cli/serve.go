package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tiro/disk"
	"tiro/models/bundled"
	"tiro/net/kernel"
	"tiro/web"
	"tiro/web/host"
)

// serveOptions are the flags of tiro serve.
type serveOptions struct {
	catalog
	listen  string
	runs    []string
	hosts   []string
	dir     string
	backend kernel.Backend
}

func serveCommand(games catalog) *cobra.Command {
	o := serveOptions{catalog: games}
	cmd := &cobra.Command{
		Use:   "serve [GAME]",
		Short: "Play in a browser, and watch training runs there",
		Long: `Serve answers browsers on this machine: open the address that it prints. Each seat is
a person, a bundled model at some strength, the newest network of a run (--run), or
another player. Games are kept in a folder and survive a restart.

Runs named by --run can be watched at /watch while they train: curves, rating, the
latest games on a board, a diagnosis, and how long it will take. A folder of runs stands
for all of them, and a run need not have begun yet. Serve only reads their folders.

Without GAME all games are offered. To be reached from other machines, name an
address of this one, such as --listen 0.0.0.0:8080; the address that is printed then
holds a token, without which nobody is let in.`,
		Example: `  tiro serve
  tiro serve coerceo --run runs/coerceo
  tiro serve --run runs
  tiro serve pacru:players=3 --listen 127.0.0.1:8080`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: games.completeGame,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runServe(cmd, cmd.Flags().Arg(0), &o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:7365", "`ADDRESS:PORT` to answer on; port 0 for any that is free")
	f.StringArrayVar(&o.runs, "run", nil, "run `FOLDER` to watch and whose network can be seated, folder of such, checkpoint or weights file; may be given several times")
	f.StringArrayVar(&o.hosts, "host", nil, "`NAME` by which browsers may reach this server besides its own, such as that of a proxy; may be given several times")
	f.StringVar(&o.dir, "games", "", "`FOLDER` of the games (default tiro/games in the user's cache folder)")
	backendVar(cmd, &o.backend)
	return cmd
}

// served are the game strings that are offered without GAME.
func (c catalog) served() ([]string, error) {
	trained, err := bundled.Games(c.Table)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range c.Table {
		names = append(names, e.Name)
		for _, name := range trained {
			if strings.HasPrefix(name, e.Name+":") {
				names = append(names, name)
			}
		}
		for _, a := range e.Aliases {
			if !slices.Contains(names, a.Game) {
				names = append(names, a.Game)
			}
		}
	}
	return names, nil
}

func runServe(cmd *cobra.Command, name string, o *serveOptions) error {
	listenHost, _, err := net.SplitHostPort(o.listen)
	if err != nil {
		return usage(fmt.Errorf("--listen %s; want ADDRESS:PORT, such as 127.0.0.1:7365", o.listen))
	}
	names, err := o.served()
	if err != nil {
		return err
	}
	if name != "" {
		names = []string{name}
	}
	c := computing{o.catalog, o.backend, 1, nil}
	options := web.Options{Disk: disk.OS{}}
	options.Options = host.Options{
		Find: o.newGame, Player: host.KeepFactories(c.factory),
		MaxGames: 1000, Searches: runtime.GOMAXPROCS(0),
		NewID: func() string { return strings.ToLower(rand.Text()) },
	}
	seated, err := o.networks(cmd.ErrOrStderr(), name)
	if err != nil {
		return err
	}
	for _, n := range names {
		game, err := o.newGame(n)
		if err != nil {
			return err
		}
		offer, err := seated.offer(game)
		if err != nil {
			return err
		}
		options.Offers = append(options.Offers, offer)
	}
	options.Runs = seated.watched
	if options.Dir, err = o.folder(); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", o.listen)
	if err != nil {
		return err
	}
	address := listener.Addr().(*net.TCPAddr)
	if err := admit(&options, address.IP, listenHost); err != nil {
		return errors.Join(err, listener.Close())
	}
	options.Proxies = o.hosts
	server, err := web.New(options)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	for _, shown := range reachable(address) {
		if options.Token != "" {
			shown += "/?token=" + options.Token
		}
		fmt.Fprintf(cmd.OutOrStdout(), "listening on http://%s\n", shown)
	}
	return answer(cmd.Context(), listener, server)
}

// folder returns the folder of the games.
func (o *serveOptions) folder() (string, error) {
	if o.dir != "" {
		return o.dir, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w; name a folder by --games", err)
	}
	return filepath.Join(cache, "tiro", "games"), nil
}

// admit sets by which names a server at an address, which was asked for by a name of its
// own, may be called, and a token if other machines reach it.
func admit(options *web.Options, address net.IP, name string) error {
	options.Hosts = []string{"localhost", "127.0.0.1", "::1", address.String(), name}
	if address.IsLoopback() {
		return nil
	}
	options.Token = strings.ToLower(rand.Text())
	local, err := localHosts()
	options.Hosts = append(options.Hosts, local...)
	return err
}

// reachable returns the addresses with ports at which a browser reaches a listener: those of
// all interfaces if it listens on all of them.
func reachable(address *net.TCPAddr) []string {
	if !address.IP.IsUnspecified() {
		return []string{address.String()}
	}
	port := strconv.Itoa(address.Port)
	all := []string{net.JoinHostPort("127.0.0.1", port)}
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		return all
	}
	for _, a := range interfaces {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			all = append(all, net.JoinHostPort(n.IP.String(), port))
		}
	}
	return all
}

// answer serves until ctx ends, which is no error.
func answer(ctx context.Context, listener net.Listener, server *web.Server) error {
	h := http.Server{Handler: server, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16}
	stopped := context.AfterFunc(ctx, func() {
		server.Close()
		limit, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if h.Shutdown(limit) != nil {
			_ = h.Close()
		}
	})
	defer stopped()
	err := h.Serve(listener)
	server.Close()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

// localHosts returns the names by which other machines may know this one.
func localHosts() ([]string, error) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	name, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	hosts := []string{name, strings.ToLower(name)}
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok {
			hosts = append(hosts, ip.IP.String())
		}
	}
	return hosts, nil
}
