// Package host holds games between people and players, and answers what a page asks
// about them. It knows neither HTTP nor files: package web puts it behind a server,
// and web/wasm into a browser.
//
// # First use
//
//	offers := []host.Offer{host.NewOffer(game, "Connect Four", networks...)}
//	h, err := host.New(host.Options{Offers: offers, Find: games.New, Player: player, Store: store, …})
//	answer, err := h.Answer(ctx, host.Request{Post: true, Path: "games", Body: body})
//
// # Requests
//
// A Request has a path, and a body if it changes or asks for work:
//
//	GET   offer              the games, and who can be seated in each
//	POST  games              {"game", "seats"} begins a game, or {"record"} loads one
//	GET   games/ID           the game: board, legal moves, moves so far, win chances
//	POST  games/ID/play      {"ply", "move"} plays an action or a complete turn
//	POST  games/ID/undo      {"ply"} takes back what was played since a person last moved
//	POST  games/ID/back      {"ply", "to"} goes back to the position after so many actions
//	POST  games/ID/line      {"ply", "line"} goes over to a line that was left
//	POST  games/ID/resign    {"ply"} gives the game up for the seat on turn
//	POST  games/ID/hint      {"ply"} returns the best moves by the analyst
//	GET   games/ID/positions/PLY  a position of the game, with the analyst's best lines
//	GET   games/ID/version   the number of the newest change, which pages ask for again and again
//	GET   games/ID/record    {"record"}: the game as text
//
// What is taken back is not lost: lines that were left are kept with the game, and shown
// where they leave the one at hand.
//
// A request that changes a game says after how many actions it was made, so that of
// two pages with one game the slower one gets ErrLate and nothing is played twice.
package host
