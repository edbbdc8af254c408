package cli

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"tiro/cluster"
	"tiro/disk"
	"tiro/env"
	"tiro/internal/machine"
)

// clusterOptions are the flags with which tiro train, match and rate let workers play games.
type clusterOptions struct {
	listen      string
	nats        string
	credentials string
	lease       time.Duration
	twice       float64
}

// clusterVar adds the flags to cmd.
func clusterVar(cmd *cobra.Command, o *clusterOptions) {
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "", "let workers connect at `HOST:PORT`, such as 127.0.0.1:4222 (without --credentials, only this machine can connect)")
	f.StringVar(&o.nats, "nats", "", "let workers play through the external NATS server at `URL`, such as nats://HOST:4222")
	f.StringVar(&o.credentials, "credentials", "", "for --listen or --nats: use the keys in `FOLDER`, written by tiro cluster credentials")
	f.DurationVar(&o.lease, "lease", cluster.DefaultLease, "give a worker's games to others after this long without a message")
	f.Float64Var(&o.twice, "played-twice", cluster.DefaultTwice, "fraction of games played twice, to detect faulty workers")
	cmd.MarkFlagsMutuallyExclusive("listen", "nats")
}

// used reports whether workers can play games.
func (o *clusterOptions) used() bool { return o.listen != "" || o.nats != "" }

// check validates the combination of flags.
func (o *clusterOptions) check(cmd *cobra.Command, games env.Lookup, workers int) error {
	if !o.used() {
		if workers == 0 {
			return usage(errors.New("--workers 0 requires --listen or --nats"))
		}
		for _, name := range []string{"credentials", "lease", "played-twice"} {
			if err := unless(!cmd.Flags().Changed(name), "--%s requires --listen or --nats", name); err != nil {
				return err
			}
		}
		return nil
	}
	if o.nats != "" {
		if err := checkNATS(o.nats); err != nil {
			return err
		}
	}
	options := o.options(games)
	return usage(options.Validate())
}

// flags returns the flags that resume a training with the given --workers.
func (o *clusterOptions) flags(workers int) (flags []string) {
	for _, f := range [][2]string{{"--listen", o.listen}, {"--nats", o.nats}, {"--credentials", o.credentials}} {
		if f[1] != "" {
			flags = append(flags, f[0], f[1])
		}
	}
	if o.used() && o.lease != cluster.DefaultLease {
		flags = append(flags, "--lease", o.lease.String())
	}
	if o.used() && o.twice != cluster.DefaultTwice {
		flags = append(flags, "--played-twice", strconv.FormatFloat(o.twice, 'g', -1, 64))
	}
	if o.used() && workers == 0 {
		flags = append(flags, "--workers", "0")
	}
	return flags
}

// options returns the options of a trainer.
func (o *clusterOptions) options(find env.Lookup) cluster.Options {
	return cluster.Options{
		Listen: o.listen, URL: o.nats, Credentials: o.credentials, Lease: o.lease, Twice: o.twice,
		Version: build(), Find: find, Clock: time.Now, CPU: machine.CPU,
	}
}

func clusterCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "cluster",
		Short: "Prepare training on several machines",
		Long: `Cluster prepares trainings and matches on several machines, where tiro worker plays the
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

Run the command again with new names to add workers. To remove one, delete its entry in
trainer.json and restart the training. nats-server.conf has the same rules for an
external server.`,
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
