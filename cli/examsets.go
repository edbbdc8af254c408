package cli

import (
	"context"
	"io"
	"strings"

	"tiro/arena"
	"tiro/env"
	"tiro/study/exam"
)

// isSet reports whether a file is a set, by its name.
func isSet(file string) bool { return strings.HasSuffix(strings.TrimSuffix(file, ".gz"), ".jsonl") }

// readSet reads a set.
func (x *examination) readSet(game env.Game, file string) error {
	return readText(file, func(text io.Reader) error {
		set, err := exam.Read(text, game)
		x.sets = append(x.sets, set)
		return err
	})
}

// takeSet has an engine answer a set.
func takeSet(ctx context.Context, meter *meter, game env.Game, set *exam.Set, engine arena.EngineUnderTest) (exam.Result, error) {
	meter.begin(set.Kind, "positions", len(set.Questions))
	defer meter.end()
	engine.Answered = func() { meter.add(1, 0) }
	return set.Take(ctx, game, engine)
}
