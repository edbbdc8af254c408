// Package rating rates many players on one scale, by maximum likelihood over all
// games between them.
//
// # First use
//
//	ratings, err := rating.Fit(rating.Data{
//		Players: []string{"random", "greedy", "mcts:200"},
//		Anchor:  0,
//		Groups:  groups, // games that share an opening
//	})
//	fmt.Println(ratings.Elo[2], ratings.Interval(2), ratings.Difference(2, 1))
//
// # The model
//
// A game has one point, which its winners share equally. In a draw all seats win. The
// expected points of seat i are
//
//	p_i ∝ exp(strength of the player on seat i + advantage of seat i)
//
// With two seats this is Elo's formula (Bradley and Terry 1952), with more seats Luce's axiom
// (1959) for first places. The advantages of the seats sum to 0 and are the same for all players
// (Davidson and Beaver 1977, "On extending the Bradley-Terry model to incorporate
// within-pair order effects"). A rating is 400/ln 10 times the difference of strength from the
// anchor.
//
// The likelihood counts a win shared by k seats as 1/k of a win of each of them. It is a
// quasi-likelihood: only the expected points need to be right, not how often wins are shared
// (Papke and Wooldridge 1996, "Econometric methods for fractional response variables"). At the
// maximum, each player's expected points equal its actual points, apart from the effect of
// the prior. A model with a parameter for draws, such as Davidson's (1970), cannot rate a
// player that often draws and never loses.
//
// # The prior
//
// Each parameter has a normal prior around 0 with a standard deviation of
// PriorDeviation. For a player with 50 games, it changes the strength by less than 1%
// of its distance from the mean. A player that has won everything or nothing gets a
// bound instead of an interval.
//
// # Errors
//
// The games of a group share their opening and are not independent. The covariance
// is therefore the sandwich H⁻¹ B H⁻¹ with groups as clusters (Liang and Zeger 1986,
// "Longitudinal data analysis using generalized linear models"), which remains valid
// if wins are shared or the model of seats is inexact. B sums the groups' scores, each
// divided by one minus the group's leverage, which is close to the jackknife (CR3 of Bell and
// McCaffrey 2002). For every set of players, B also counts one extra group with the
// deviation that the model expects. Otherwise a match whose groups all ended 1:1 would
// have no error at all.
package rating
