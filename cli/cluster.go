package cli

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/spf13/cobra"

	"tiro/arena"
	"tiro/cluster"
	"tiro/disk"
	"tiro/env"
	"tiro/internal/machine"
	"tiro/net"
	"tiro/player"
	"tiro/train"
)

// clusterOptions are the flags with which tiro train, match and rate let workers play games.
type clusterOptions struct{ cluster.Options }

// clusterFlags are their names.
var clusterFlags = []string{"listen", "nats", "credentials", "lease", "played-twice"}

// clusterVar adds the flags to cmd.
func clusterVar(cmd *cobra.Command, o *clusterOptions) {
	f := cmd.Flags()
	f.StringVar(&o.Listen, "listen", "", "let workers connect at `HOST:PORT`, such as 127.0.0.1:4222 (without --credentials, only this machine can connect)")
	f.StringVar(&o.URL, "nats", "", "let workers play through the external NATS server at `URL`, such as nats://HOST:4222")
	f.StringVar(&o.Credentials, "credentials", "", "for --listen or --nats: use the keys in `FOLDER`, written by tiro cluster credentials")
	f.DurationVar(&o.Lease, "lease", cluster.DefaultLease, "give a worker's games to others after this long without a message")
	f.Float64Var(&o.Twice, "played-twice", cluster.DefaultTwice, "fraction of games played twice, to detect faulty workers")
	cmd.MarkFlagsMutuallyExclusive("listen", "nats")
}

// used reports whether workers can play games.
func (o *clusterOptions) used() bool { return o.Listen != "" || o.URL != "" }

// check validates the combination of flags, and completes the options.
func (o *clusterOptions) check(cmd *cobra.Command, games env.Lookup, workers int) error {
	o.Workers, o.Find, o.Version, o.Clock, o.CPU = workers, games, build(), time.Now, machine.CPU
	if !o.used() {
		for _, name := range clusterFlags {
			if err := unless(!cmd.Flags().Changed(name), "--%s requires --listen or --nats", name); err != nil {
				return err
			}
		}
		return unless(workers > 0, "--workers 0 requires --listen or --nats")
	}
	if o.URL != "" {
		if err := checkNATS(o.URL); err != nil {
			return err
		}
	}
	return usage(o.Validate())
}

// players parses the descriptions of players. With the cluster, workers must be able to play them.
func (o *clusterOptions) players(texts []string, defaults player.Defaults) (all []player.Spec, err error) {
	for _, text := range texts {
		s, err := defaults.Parse(text)
		if err == nil && o.used() {
			err = s.Local()
		}
		if err != nil {
			return nil, usage(err)
		}
		all = append(all, s)
	}
	return all, nil
}

// connect returns the cluster's trainer, through which workers play games, and a function that
// closes it. The trainer is nil if this process plays alone. It does not connect before the
// first game.
func (o *clusterOptions) connect(backend net.Backend, log *slog.Logger) (trainer interface {
	arena.Gameplayer
	train.Selfplayer
}, end func(), err error,
) {
	if !o.used() {
		return nil, func() {}, nil
	}
	o.Backend, o.Log = backend, log
	t, err := cluster.New(o.Options)
	if err != nil {
		return nil, nil, err
	}
	return t, t.Close, nil
}

func clusterCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Prepare training on several machines",
		Long: `Cluster prepares training runs and matches on several machines, where tiro worker plays the
games of tiro train, match or rate with --listen. docs/CLUSTER.md shows how.`,
	}
	cmd.AddCommand(credentialsCommand())
	return cmd
}

func credentialsCommand() *cobra.Command {
	var workers []string
	cmd := &cobra.Command{
		Use:   "credentials FOLDER --worker NAME…",
		Short: "Create certificates and keys for a trainer and its workers",
		Long: `Credentials creates the certificates and keys with which a trainer and its workers
authenticate and encrypt. The folder stays on the training machine (--credentials of tiro
train, match and rate); only its owner can read it. Copy one file, worker-NAME.json, to each
worker (tiro worker --credentials). A worker may only read the network and task, request
games and send games, under its own name.

Run the command again with new names to add workers, or with old ones to write their lost
files again. To remove a worker, delete its entry in trainer.json and restart the training.
nats-server.conf has the same rules for an external server.`,
		Example: `  tiro cluster credentials keys --worker laptop --worker attic
  tiro cluster credentials keys --worker cloud-1`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return runCredentials(cmd, args[0], workers) },
	}
	cmd.Flags().StringArrayVar(&workers, "worker", nil, "create a file for the worker `NAME` (repeatable)")
	return cmd
}

func runCredentials(cmd *cobra.Command, dir string, workers []string) error {
	dir, err := disk.Path(dir)
	if err != nil {
		return err
	}
	for _, name := range workers {
		if err := cluster.CheckName(name); err != nil {
			return usage(fmt.Errorf("--worker: %w", err))
		}
	}
	files, err := cluster.NewCredentials(dir, workers)
	if err != nil {
		return err
	}
	out := cmd.OutOrStdout()
	fmt.Fprintf(out, "%s is for tiro train --listen :4222 --credentials %s, and stays on this machine.\n", dir, dir)
	for _, file := range files {
		fmt.Fprintf(out, "%s is for tiro worker --credentials on that worker's machine.\n", file)
	}
	return nil
}
