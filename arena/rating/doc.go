// Package rating puts many players on one scale, by maximum likelihood over all
// games that they have played with each other.
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
// It is that of Davidson (1970, "On extending the Bradley-Terry model to
// accommodate ties in paired comparison experiments") for two seats, and for more
// the Davidson-Luce model (Firth, Kosmidis and Turner 2019, "Davidson-Luce model
// for multi-item choice with ties"), of which it is a case. The probability that
// the seats W, k of them, win together is
//
//	P(W) ∝ d_k · (∏ over i in W of worth_i)^(1/k)
//
// where d_1 is 1, and worth_i is exp(strength of the player on seat i + advantage
// of seat i). In a draw all seats win. Without shared wins this is Luce's axiom for
// first places, and with two seats Elo's formula. The d_k are fitted if some game
// had k winners, otherwise they are 0. The advantages of seats sum to 0 and are the
// same for all players (Davidson and Beaver 1977, "On extending the Bradley-Terry
// model to incorporate within-pair order effects").
//
// Like all logit models it reproduces the points: at the maximum, each player's
// expected points equal those that it has, up to the prior.
//
// # The scale
//
// Ratings are in Elo above the anchor: 400/ln 10 times the difference of strength,
// times a factor that lets small differences mean the same expected score as in
// Elo's formula. Where many games are drawn, the model's odds of a win to a loss
// are greater than those of the points. The factor is what shared wins leave of
// the variance of a seat's points in a game of equals, 1 without them. BayesElo
// scales in the same way.
//
// # The prior
//
// Each parameter has a normal prior around 0 with a standard deviation of
// PriorDeviation: the strength of a player that was met in 50 games moves by less
// than 1% of its distance from the mean. A player that has won everything, or
// nothing, gets a bound instead of an interval.
//
// # Errors
//
// The games of a group share their opening and are not independent. The covariance
// is therefore the sandwich H⁻¹ B H⁻¹ with groups as clusters (Liang and Zeger 1986,
// "Longitudinal data analysis using generalized linear models"), which holds also
// where the model's draws or seats are not quite right. B is summed over groups
// whose score was divided by one minus the group's leverage, which is close to the
// jackknife (CR3 of Bell and McCaffrey 2002), and counts for every set of players
// one group more, which deviates as the model expects; without that, a match whose
// groups all ended 1:1 would have no error at all.
package rating
