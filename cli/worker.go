package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"tiro/cluster"
	"tiro/configs"
	"tiro/internal/machine"
	"tiro/net"
)

// workerOptions are the flags of tiro worker.
type workerOptions struct {
	catalog
	nats        string
	credentials string
	name        string
	workers     int
	memory      configs.Bytes
	backend     net.Backend
}

func workerCommand(games catalog) *cobra.Command {
	o := workerOptions{catalog: games}
	cmd := &cobra.Command{
		Use:   "worker --nats nats://HOST:PORT",
		Short: "Play games for a training run or a match on another machine",
		Long: `Worker plays games for tiro train, match or rate on another machine, directly (--listen
there) or through an external NATS server. It stores nothing, and reconnects by itself when
the server or the trainer was unreachable. Ctrl-C sends the finished games and returns the
others. Games of a lost worker are given to others.

The trainer and its workers must have the same version of tiro. With backends of one kind
(avx512, avx2 and neon; go; or one model of device with its driver) they play the same games
to the last bit. By default a worker uses the fastest backend of the trainer's kind that its
CPU supports; --backend opencl uses a graphics card. Workers receive games in proportion to
--workers. --memory defaults to three quarters of the machine's or container's memory, or to
GOMEMLIMIT. docs/CLUSTER.md has the details.`,
		Example: `  tiro worker --nats nats://127.0.0.1:4222
  tiro worker --nats nats://desktop:4222 --credentials laptop.json --workers 4`,
		RunE: func(cmd *cobra.Command, _ []string) error { return runWorker(cmd, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.nats, "nats", "", "connect to the server at `URL`, or to several separated by commas")
	f.StringVar(&o.credentials, "credentials", "", "use the credentials in `FILE`, written by tiro cluster credentials")
	f.StringVar(&o.name, "name", "", "call this worker `NAME` (default the machine's name and a number)")
	workersVar(cmd, &o.workers, 1)
	f.TextVar(&o.memory, "memory", configs.Bytes(machine.Memory()), "use at most `BYTES` of memory, such as 2GiB; the worker plays fewer games at once to stay within it, or refuses to start")
	f.Lookup("memory").DefValue = "three quarters of the memory"
	backendVar(cmd, &o.backend)
	f.Lookup("backend").DefValue = "the fastest of the trainer's kind"
	cmd.MarkFlagsMutuallyExclusive("name", "credentials")
	return required(cmd, "nats")
}

func runWorker(cmd *cobra.Command, o workerOptions) error {
	if err := checkNATS(o.nats); err != nil {
		return err
	}
	w := cluster.WorkerOptions{
		URL: o.nats, Name: cmp.Or(o.name, defaultWorker()), Workers: o.workers, Memory: o.memory.Bound(),
		Version: build(), Find: o.Table.New, CPU: machine.CPU,
	}
	if err := w.Validate(); err != nil {
		return usage(err)
	}
	if cmd.Flags().Changed("backend") {
		w.Backend = o.backend
	}
	if o.credentials != "" {
		var err error
		if w.Credentials, err = cluster.ReadCredentials(o.credentials); err != nil {
			return err
		}
	}
	limitMemory(o.memory)
	log := slog.New(&lines{cmd.ErrOrStderr(), colour(cmd.ErrOrStderr())})
	w.Log = log
	log.Info("available", limits("")...)
	err := cluster.Work(cmd.Context(), w)
	if errors.Is(err, context.Canceled) {
		log.Info("stopped; the trainer gives unfinished games to others")
	}
	return err
}

// checkNATS returns an error unless urls are the addresses of NATS servers, separated by
// commas.
func checkNATS(urls string) error {
	for url := range strings.SplitSeq(urls, ",") {
		ok := regexp.MustCompile(`^(nats|tls|ws|wss)://([^/@:]+:[^/@]*@)?(\[[^/@]+\]|[^/@:]+)(:[0-9]+)?$`).MatchString(strings.TrimSpace(url))
		if err := unless(ok, "--nats must be the address of a server, such as nats://127.0.0.1:4222 or nats://USER:PASSWORD@HOST:4222, not %q", urls); err != nil {
			return err
		}
	}
	return nil
}

// defaultWorker returns a name for this process, made of the host name and the process ID.
func defaultWorker() string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	host = regexp.MustCompile(`[^A-Za-z0-9_-]`).ReplaceAllString(host, "-")
	return fmt.Sprintf("%.40s-%d", host, os.Getpid())
}
