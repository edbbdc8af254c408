// Package cli is the command line of Tiro. A program with games of its own calls Main.
//
// The package contains flags, help, progress bars and printing. It is the only
// package that uses the terminal, the clock, the environment and signals. Each
// subcommand has its own file; everything that is useful from Go lives in other
// packages.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tiro/disk"
	"tiro/env"
	"tiro/internal/machine"
)

// Main runs the command line of this process with the given games and exits: with code 0 on
// success, 1 on failure, 2 on wrong usage, and 130 if it was interrupted and saved its work.
func Main(games ...env.Entry) {
	table := env.Table(games)
	if err := table.Validate(); err != nil {
		panic(err) // a bug in the program that calls Main
	}
	os.Exit(program(table, disk.OS{}))
}

// program runs the command line of this process and returns the exit code. fsys holds the
// run folders.
func program(games env.Table, fsys disk.FS) int {
	// Go itself considers only the innermost control group.
	if n := machine.Cores(os.DirFS("/")); n > 0 && n < runtime.GOMAXPROCS(0) && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(n)
	}
	enableSequences()
	return run(handleSignals(), catalog{games}, fsys, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// run runs one command line and returns the exit code.
func run(ctx context.Context, games catalog, fsys disk.FS, args []string, in io.Reader, out, errOut io.Writer) int {
	stdout := &checkedWriter{w: out}
	root := newRoot(games, fsys)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(stdout)
	root.SetErr(errOut)
	started := false
	prepare(root, &started)
	cmd, err := root.ExecuteContextC(ctx)
	if !started { // cobra refused the command line
		err = refused(cmd, err)
	}
	if fault := stdout.fault(); err == nil && fault != nil {
		err = fmt.Errorf("write standard output: %w", fault)
	}
	return report(errOut, cmd, err)
}

func newRoot(games catalog, fsys disk.FS) *cobra.Command {
	root := &cobra.Command{
		Use:   "tiro",
		Short: "Train game-playing AI by self-play, from random weights",
		Long: `Tiro trains game-playing AI by self-play, starting from random weights. It also
matches, rates and exports networks, and lets people play against them.

Other commands: fit (compare settings on a run's games), perft and moves (check rules),
bench (measure this machine), cluster (credentials for several machines), completion (for
shells), version (version and licences).`,
		Example: `  tiro play coerceo                   against the bundled model
  tiro train coerceo                  train until Ctrl-C; the same command resumes
  tiro match coerceo --a net:runs/coerceo --b greedy --games 100
  tiro play coerceo --model runs/coerceo`,
		Version:       build(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("tiro {{.Version}}\n")
	cobra.EnableCommandSorting = false // the commands are in the order in which a new user needs them
	group := func(title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: title, Title: title})
		for _, cmd := range commands {
			cmd.GroupID = title
			root.AddCommand(cmd)
		}
	}
	group("Learn:", trainCommand(games, fsys), forkCommand(games), matchCommand(games), rateCommand(games, fsys), reportCommand(games), examCommand(games),
		ablateCommand(games), exportCommand(games), verifyCommand(games, fsys), workerCommand(games))
	group("Play:", playCommand(games), serveCommand(games), showCommand(games), analyzeCommand(games), engineCommand(games), modelsCommand(games, fsys))
	group("Rules:", gamesCommand(games), rulesCommand(games))
	for _, cmd := range []*cobra.Command{
		fitCommand(games), perftCommand(games), movesCommand(games), benchCommand(games), deviceCommand(games), clusterCommand(), versionCommand(), manCommand(fsys),
	} {
		cmd.Hidden = true
		root.AddCommand(cmd)
	}
	root.CompletionOptions = cobra.CompletionOptions{HiddenDefaultCmd: true, DisableNoDescFlag: true}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if help := cmd.Run; cmd.Name() == "help" { // cobra's own succeeds for an unknown command
			cmd.Run, cmd.Args = nil, cobra.ArbitraryArgs
			cmd.RunE = func(cmd *cobra.Command, args []string) error {
				if _, _, err := root.Find(args); err != nil {
					return usage(err)
				}
				help(cmd, args)
				return nil
			}
		}
		if cmd.Args == nil {
			cmd.Args = cobra.NoArgs
		}
		if cmd.HasSubCommands() { // otherwise an unknown subcommand would be no error
			cmd.Args, cmd.RunE = cobra.NoArgs, func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	return root
}

// prepare makes cmd and its subcommands set started when they run. They refuse an empty value of
// a flag, which would select the default, and a file that a flag and another flag or an argument
// name, because one of them would overwrite it.
func prepare(cmd *cobra.Command, started *bool) {
	if run := cmd.RunE; run != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			*started = true
			var err error
			users := map[string]string{} // by file: the flag or argument that names it
			use := func(file, user string) {
				if abs, err := filepath.Abs(file); err == nil {
					file = abs
				}
				if other := users[file]; other != "" && other != user {
					err = usage(fmt.Errorf("%s and %s must be different files", other, user))
				}
				users[file] = user
			}
			for _, arg := range args {
				if info, err := os.Stat(arg); err == nil && info.Mode().IsRegular() {
					use(arg, "the argument")
				}
			}
			cmd.Flags().Visit(func(f *pflag.Flag) {
				v := f.Value.String()
				if v == "" && f.Value.Type() == "string" || v == "[]" { // such as "$FILE" without the variable
					err = usage(fmt.Errorf("--%s must not be empty", f.Name))
				} else if kind, _ := pflag.UnquoteUsage(f); kind == "FILE" && f.Name != "tls-key" { // which may be in the certificate's file
					files := []string{v}
					if several, ok := f.Value.(pflag.SliceValue); ok {
						files = several.GetSlice()
					}
					for _, file := range files {
						use(file, "--"+f.Name)
					}
				}
			})
			if err != nil {
				return err
			}
			return run(cmd, args)
		}
	}
	for _, c := range cmd.Commands() {
		prepare(c, started)
	}
}
