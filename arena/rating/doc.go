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
// For two seats it is Davidson's model (1970, "On extending the Bradley-Terry model to
// accommodate ties in paired comparison experiments"). For more seats it is the
// generalisation by Firth, Kosmidis and Turner (2019, "Davidson-Luce model for
// multi-item choice with ties"). The probability that a set W of k seats wins together
// is
//
//	P(W) ∝ d_k · (∏ over i in W of worth_i)^(1/k)
//
// where d_1 is 1, and worth_i is exp(strength of the player on seat i + advantage
// of seat i). In a draw all seats win. Without shared wins this is Luce's axiom for
// first places, and with two seats it is Elo's formula. d_k is fitted if some game
// had k winners, and 0 otherwise. The advantages of the seats sum to 0 and are the
// same for all players (Davidson and Beaver 1977, "On extending the Bradley-Terry
// model to incorporate within-pair order effects").
//
// Like all logit models it reproduces the points: at the maximum, each player's
// expected points equal its actual points, apart from the effect of the prior.
//
// # The scale
//
// Ratings are in Elo above the anchor. A rating is 400/ln 10 times the difference of
// strength, times a factor with which a small difference means the same expected score
// as in Elo's formula. The factor is needed because with many draws, the model's odds
// of a win to a loss exceed the odds of the points. It is the variance of a seat's
// points in a game of equals, relative to the variance without shared wins. BayesElo
// scales in the same way.
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
// if the model of draws or seats is inexact. B sums the groups' scores, each divided by
// one minus the group's leverage, which is close to the jackknife (CR3 of Bell and
// McCaffrey 2002). For every set of players, B also counts one extra group with the
// deviation that the model expects. Otherwise a match whose groups all ended 1:1 would
// have no error at all.
package rating
