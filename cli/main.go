// Package cli is the command line of Tiro as a package, so that a program of
// one's own may have all of it.
//
// It holds flags, help, progress bars and printing, and is the only package
// that knows the terminal, the clock, the environment and signals. Each
// sub-command has a file of its own; what could be called from Go is in the
// packages below.
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"tiro/disk"
	"tiro/env"
	"tiro/internal/suggest"
)

// Main carries out the command line of this process, for the games of a program, and
// exits with 0 if it is done, 1 if it failed, 2 after wrong usage, and 130 if it was
// interrupted after a clean save.
func Main(games ...env.Entry) {
	table := env.Table(games)
	if err := table.Validate(); err != nil {
		panic(err) // a fault of the program that calls Main
	}
	os.Exit(program(table, disk.OS{}))
}

// program carries out the command line of this process and returns the exit
// code. Runs are trained on the disk fsys.
func program(games env.Table, fsys disk.FS) int {
	return run(handleSignals(), catalog{games}, fsys, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
}

// run carries out one command line and returns the exit code.
func run(ctx context.Context, games catalog, fsys disk.FS, args []string, in io.Reader, out, errOut io.Writer) int {
	stdout, stderr := &checkedWriter{w: out}, &checkedWriter{w: errOut}
	stdout.failed = func(p []byte, err error) { readerGone(out, p, err) }
	root := newRoot(games, fsys)
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if fault := stdout.fault(); err == nil && fault != nil {
		err = fmt.Errorf("write standard output: %w", fault)
	}
	return report(stderr, cmd, err)
}

func newRoot(games catalog, fsys disk.FS) *cobra.Command {
	root := &cobra.Command{
		Use:   "tiro",
		Short: "Train game-playing AI by self-play, from random weights",
		Long: `Tiro trains game-playing AI by self-play, starting from random weights. It also
matches, rates and exports networks, and lets people play against them.`,
		Example: `  tiro play coerceo                   against the bundled model
  tiro train coerceo                  train until Ctrl-C; the same command resumes
  tiro match coerceo --a net:runs/coerceo --b greedy --games 100
  tiro play coerceo --model runs/coerceo`,
		Args:          cobra.ArbitraryArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          noCommand,
	}
	root.SetUsageTemplate(usageTemplate)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usage(suggestFlag(cmd, flagFault(err))) })
	root.SetHelpCommand(helpCommand())
	cobra.EnableCommandSorting = false // the groups are in the order of a first use
	group := func(title string, commands ...*cobra.Command) {
		root.AddGroup(&cobra.Group{ID: title, Title: title})
		for _, cmd := range commands {
			cmd.GroupID = title
			if cmd.Args == nil {
				cmd.Args = args()
			}
			for _, c := range append(cmd.Commands(), cmd) {
				c.DisableFlagsInUseLine = true // the template writes them
			}
			root.AddCommand(cmd)
		}
	}
	group("Learn:", trainCommand(games, fsys), forkCommand(games), matchCommand(games), rateCommand(games, fsys), reportCommand(games), examCommand(games),
		ablateCommand(games), fitCommand(games), exportCommand(games), verifyCommand(games, fsys), workerCommand(games), clusterCommand())
	group("Play:", playCommand(games), serveCommand(games), showCommand(games), analyzeCommand(games), engineCommand(games), modelsCommand(games, fsys))
	group("Rules:", gamesCommand(games), rulesCommand(games), perftCommand(games), movesCommand(games))
	root.SetCompletionCommandGroupID(aboutGroup)
	group(aboutGroup, benchCommand(games), versionCommand(), manCommand())
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args, cmd.RunE = cobra.ArbitraryArgs, noCommand // or a shell that is not known would be no error
		}
	}
	return root
}

// aboutGroup is the title of the commands about the program itself.
const aboutGroup = "This program:"

// usageTemplate is what follows the description on a help page. A command that only
// groups others has neither arguments, which would follow its name in Use, nor flags.
const usageTemplate = `{{$only := and .HasAvailableSubCommands (eq .Use .Name)}}Usage:{{if not $only}}
  {{.UseLine}} [flags]{{end}}{{if .HasAvailableSubCommands}}
  {{.CommandPath}} COMMAND{{end}}{{if .HasExample}}

Examples:
{{.Example}}{{end}}{{$commands := .Commands}}{{range $group := .Groups}}

{{.Title}}{{range $commands}}{{if eq .GroupID $group.ID}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{if and .HasAvailableSubCommands (not .Groups)}}

Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{if not $only}}

Flags:
{{.LocalFlags.FlagUsages}}{{end}}{{if .HasAvailableSubCommands}}{{if $only}}

{{else}}
{{end}}Run '{{.CommandPath}} COMMAND --help' for more about a command.
{{end}}`

// noCommand prints the help page, or says that args name no sub-command.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	hint := ""
	if near, ok := suggest.Closest(args[0], names); ok {
		hint = fmt.Sprintf("; did you mean %s?", near)
	}
	return usage(fmt.Errorf("unknown command %q%s", args[0], hint))
}

// suggestFlag adds to the error about an unknown flag the one that may have been meant.
func suggestFlag(cmd *cobra.Command, err error) error {
	_, unknown, ok := strings.Cut(err.Error(), "unknown flag: --")
	if !ok {
		return err
	}
	var names []string
	for _, flag := range flagName.FindAllStringSubmatch(cmd.Flags().FlagUsages(), -1) {
		names = append(names, flag[1])
	}
	if near, ok := suggest.Closest(unknown, names); ok {
		return fmt.Errorf("%w; did you mean --%s?", err, near)
	}
	return err
}

// flagName matches the name of a flag in its usage.
var flagName = regexp.MustCompile(`--([a-z-]+)`)

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "help [COMMAND]",
		Short:  "Help about a command",
		Hidden: true,

		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			topic, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usage(fmt.Errorf("unknown command %q", args[0]))
			}
			topic.InitDefaultHelpFlag()
			return topic.Help()
		},
	}
}
