package cluster

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

func after(d time.Duration) time.Time { return noon.Add(d) }

func never(int) bool { return false }

// books returns a ledger with workers that all compute on one backend.
func books(games int, twice func(int) bool, names ...string) *ledger {
	l := newLedger(games, time.Minute, nil, twice)
	for _, name := range names {
		l.join(name, 1, "go", noon)
	}
	return l
}

func TestLeases(t *testing.T) {
	l := books(5, never, "a", "b")
	require.Equal(t, []int{0, 1, 2}, l.grant("a", 3, noon))
	require.Equal(t, []int{3, 4}, l.grant("b", 3, noon))
	require.Empty(t, l.grant("a", 3, noon), "all are leased")

	require.Equal(t, accepted, l.deliver(1, "a", "x"))
	l.renew("a", []int{0, 2}, nil, after(40*time.Second))
	l.expire(after(70 * time.Second))
	require.Equal(t, []int{3, 4}, l.grant("a", 9, after(70*time.Second)), "b was silent")
	require.Equal(t, accepted, l.deliver(3, "b", "y"), "it comes late, and first")
	require.Equal(t, duplicate, l.deliver(3, "a", "y"))
	require.Equal(t, differs, l.deliver(1, "b", "z"))

	l.renew("a", []int{2}, nil, after(80*time.Second)) // 0 and 4 it no longer knows of
	require.Equal(t, []int{0, 4}, l.grant("b", 9, after(80*time.Second)))
	l.leave("b")
	require.Equal(t, []int{0, 4}, l.grant("a", 9, after(80*time.Second)))
	for _, g := range []int{0, 2, 4} {
		require.False(t, l.complete(noon))
		require.Equal(t, accepted, l.deliver(g, "a", ""))
	}
	require.True(t, l.complete(noon))
}

// TestSent: a game that was sent is not leased to others while it may wait at the server.
func TestSent(t *testing.T) {
	l := books(2, never, "a", "b")
	require.Equal(t, []int{0, 1}, l.grant("a", 2, noon))
	l.renew("a", []int{1}, []int{0}, noon)
	l.renew("a", []int{1}, nil, after(20*time.Second))
	require.Empty(t, l.grant("b", 2, after(50*time.Second)))
	l.renew("a", []int{1}, []int{0}, after(60*time.Second)) // it was not answered
	l.expire(after(61 * time.Second))
	require.Equal(t, []int{0}, l.grant("b", 2, after(61*time.Second)), "it does not arrive")
	require.Equal(t, accepted, l.deliver(0, "a", "x"), "or only now")
}

// TestAdopted: after a restart of the trainer a worker keeps what it holds, unless
// somebody else has it.
func TestAdopted(t *testing.T) {
	l := newLedger(4, time.Minute, []int{3}, never)
	l.join("a", 1, "go", noon)
	l.join("b", 1, "go", noon)
	require.Equal(t, []int{0}, l.grant("b", 1, noon))
	l.renew("a", []int{0, 1, 3, 7, -1}, nil, noon)
	require.Equal(t, []int{2}, l.grant("b", 9, noon), "1 is a's; 0 was b's before; 3 is done")
	require.Equal(t, duplicate, l.deliver(3, "a", "anything"))
}

// TestAdoptedWithinShare: a process keeps no more games than it may be given, whatever it
// lists, and those that it has.
func TestAdoptedWithinShare(t *testing.T) {
	l := books(12, never, "a", "b")
	l.join("a", 2, "go", noon) // a share of 8
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	l.renew("a", all, nil, noon)
	require.Equal(t, []int{10, 11}, l.grant("b", 12, noon), "2 to go on with")
	l.join("c", 1, "go", noon)
	l.renew("a", all, nil, noon)
	l.renew("stranger", all, nil, noon)
	require.Empty(t, l.grant("c", 12, noon), "what is leased stays")
}

// TestHangingWorker: a game that a process holds for much longer than others took is
// played by others too, once no game is open.
func TestHangingWorker(t *testing.T) {
	l := books(4, never, "a", "b/1", "b/2")
	require.Equal(t, []int{0, 1}, l.grant("a", 2, noon))
	require.Equal(t, []int{2}, l.grant("b/1", 1, noon))
	at := func(d time.Duration) time.Time {
		for _, process := range []string{"a", "b/1", "b/2"} {
			l.join(process, 1, "go", after(d))
		}
		l.renew("a", []int{0, 1}, nil, after(d))
		l.expire(after(d))
		return after(d)
	}
	l.took(2, "b", at(2*time.Minute)) // renewed by nobody: the lease has ended
	require.Zero(t, l.slowest)
	require.Equal(t, []int{2}, l.grant("b/1", 1, after(2*time.Minute)))
	l.took(2, "b", after(4*time.Minute))
	require.Equal(t, accepted, l.deliver(2, "b", "x"))
	require.Equal(t, 2*time.Minute, l.slowest)

	require.Equal(t, []int{3}, l.grant("b/1", 9, at(8*time.Minute)), "not yet overdue")
	l.extend(time.Minute)
	require.Equal(t, accepted, l.deliver(3, "b", "x"))
	require.Empty(t, l.grant("b/1", 9, at(9*time.Minute)), "a minute does not count")
	now := at(9*time.Minute + 1)
	require.Equal(t, []int{0}, l.grant("b/1", 1, now))
	require.Empty(t, l.grant("a", 9, now), "it has them")
	require.Equal(t, []int{1}, l.grant("b/2", 9, now), "0 is not overdue by now at b/1")
	l.took(0, "b", now)
	require.Equal(t, accepted, l.deliver(0, "b", "x"))
	l.took(0, "a", now)
	require.Equal(t, duplicate, l.deliver(0, "a", "x"))
	require.Equal(t, 2*time.Minute, l.slowest, "what is late does not count")
	require.Equal(t, accepted, l.deliver(1, "a", "x"), "or whoever is first")
	require.True(t, l.complete(now))

	l = books(1, func(int) bool { return true }, "a", "b")
	require.Equal(t, []int{0}, l.grant("a", 1, noon))
	require.Equal(t, []int{0}, l.grant("b", 1, noon))
	require.Equal(t, accepted, l.deliver(0, "a", "x"))
	for minute := range 6 {
		now = after(time.Duration(minute) * time.Minute)
		l.renew("b", []int{0}, nil, now)
		require.Equal(t, minute > 4, l.complete(now), "the second player is waited for, but not for ever")
	}
}

func TestPlayedTwice(t *testing.T) {
	only := func(game int) bool { return game == 1 }
	l := books(3, only, "a", "b", "c")
	l.join("c", 1, "avx2", noon)
	require.Equal(t, []int{0, 1, 2}, l.grant("a", 9, noon))
	require.Empty(t, l.grant("a", 9, noon), "not twice by the same worker")
	require.Empty(t, l.grant("c", 9, noon), "not on another backend")
	require.Equal(t, []int{1}, l.grant("b", 9, noon))
	for g := range 3 {
		require.Equal(t, accepted, l.deliver(g, "a", "x"))
	}
	require.False(t, l.complete(noon), "b still plays")
	require.True(t, l.complete(after(2*time.Minute)), "b is not waited for for ever")
	require.Equal(t, confirmed, l.deliver(1, "b", "x"))
	require.True(t, l.complete(noon))
	require.Equal(t, duplicate, l.deliver(1, "b", "x"))

	l = books(2, func(int) bool { return true }, "a/1", "a/2", "b/1")
	require.Equal(t, []int{0}, l.grant("a/1", 1, noon))
	require.Equal(t, []int{1}, l.grant("a/2", 9, noon), "0 only by another owner")
	require.Equal(t, []int{0, 1}, l.grant("b/1", 9, noon))
	l.renew("a/1", []int{0}, nil, noon)
	l.renew("a/2", []int{1}, nil, noon)
	require.Equal(t, accepted, l.deliver(0, "a", "x"))
	require.Equal(t, confirmed, l.deliver(0, "b", "x"))
	l.leave("a")
	require.Equal(t, []string{"b/1"}, slices.Collect(maps.Keys(l.members)))

	l = books(1, func(int) bool { return true }, "a")
	require.Equal(t, []int{0}, l.grant("a", 9, noon))
	require.Equal(t, accepted, l.deliver(0, "a", "x"))
	require.True(t, l.complete(noon), "nobody else is there")
	l.join("b", 1, "go", noon)
	require.Equal(t, []int{0}, l.grant("b", 9, noon), "the second one may come later")
	require.Equal(t, differs, l.deliver(0, "b", "y"))
}

// TestCancelled: games that nobody wants any more are done, until they are wanted again.
func TestCancelled(t *testing.T) {
	l := books(4, func(g int) bool { return g == 0 }, "a", "b")
	require.Equal(t, []int{0, 1}, l.grant("a", 2, noon))
	require.Equal(t, []int{0, 2}, l.grant("b", 2, noon))
	require.Equal(t, accepted, l.deliver(0, "a", "x"))
	l.cancel([]int{0, 1, 2, 3})
	require.False(t, l.complete(noon), "b plays 0 for the second time")
	require.Empty(t, l.grant("a", 9, noon))
	l.renew("a", []int{1}, nil, noon)
	require.Equal(t, duplicate, l.deliver(2, "b", "y"), "nobody wants it")
	require.Equal(t, confirmed, l.deliver(0, "b", "x"))
	require.True(t, l.complete(noon))
	require.Empty(t, l.held)
	require.Equal(t, []int{0}, l.playedBy("a"))

	l.leave("a")
	l.reopen([]int{0, 2})
	require.False(t, l.complete(noon))
	require.Equal(t, []int{0, 2}, l.grant("b", 9, noon))
	l.reopen([]int{2}) // it is not done
	require.Equal(t, accepted, l.deliver(0, "b", "z"))
	require.Equal(t, accepted, l.deliver(2, "b", "z"))
	require.True(t, l.complete(noon))
}

func TestShare(t *testing.T) {
	l := books(10, never, "a")
	require.Equal(t, 10, l.share("a"))
	l.join("b", 4, "go", noon)
	require.Equal(t, 2, l.share("a"))
	require.Equal(t, 8, l.share("b"))
	l.expire(after(2 * time.Minute))
	require.Zero(t, l.share("a"))
}

// TestLedgerLosesNothing: whatever workers do, every game is played, and none is
// taken twice.
func TestLedgerLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := []string{"a", "b", "c"}
		games := rapid.IntRange(1, 20).Draw(t, "games")
		l := newLedger(games, time.Minute, nil, func(g int) bool { return g%3 == 0 })
		held, taken, now := map[string][]int{}, map[int]int{}, noon
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			name := rapid.SampledFrom(names).Draw(t, "name")
			switch rapid.IntRange(0, 4).Draw(t, "what") {
			case 0:
				l.join(name, 1, "go", now)
				l.renew(name, held[name], nil, now)
				held[name] = append(held[name], l.grant(name, rapid.IntRange(0, 5).Draw(t, "want"), now)...)
			case 1:
				if n := len(held[name]); n > 0 {
					if l.deliver(held[name][n-1], name, "x") == accepted {
						taken[held[name][n-1]]++
					}
					held[name] = held[name][:n-1]
				}
			case 2:
				now = now.Add(time.Duration(rapid.IntRange(0, 90).Draw(t, "seconds")) * time.Second)
				l.expire(now)
			case 3:
				held[name] = nil // it is killed
			case 4:
				l.leave(name)
			}
		}
		now = now.Add(time.Hour)
		l.expire(now)
		l.join("last", 1, "go", now)
		l.renew("last", nil, nil, now)
		rest := l.grant("last", 1000, now)
		for _, g := range rest {
			if l.deliver(g, "last", "x") == accepted {
				taken[g]++
			}
		}
		require.True(t, l.complete(now))
		require.Empty(t, l.held, "nothing is left over")
		require.Len(t, taken, games)
		for g, n := range taken {
			require.Equal(t, 1, n, "game %d", g)
		}
		require.True(t, slices.IsSorted(l.playedBy("last")))
	})
}
