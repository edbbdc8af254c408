// Package host holds games between humans and players, and answers a page's requests about
// them. It uses neither HTTP nor files: package web puts it behind a server, and web/wasm
// into a browser.
//
// # First use
//
//	offers := []host.Offer{host.NewOffer(game, "Connect Four", networks...)}
//	h, err := host.New(host.Options{Offers: offers, Find: games.New, Player: player, Store: store, …})
//	answer, err := h.Answer(ctx, host.Request{Post: true, Path: "games", Body: body})
//
// # Requests
//
// A Request has a path, and a body if it changes something or needs a search:
//
//	GET   offer              the games, and the players of each
//	POST  games              {"game", "seats"} begins a game, or {"record"} loads one
//	GET   games/ID           the game: board, legal moves, moves so far, win chances
//	POST  games/ID/play      {"ply", "move"} plays an action or a complete turn
//	POST  games/ID/undo      {"ply"} takes back the last human move and all later moves
//	POST  games/ID/back      {"ply", "to"} returns to the position after "to" actions
//	POST  games/ID/line      {"ply", "line"} switches to an abandoned line
//	POST  games/ID/resign    {"ply"} resigns the game for the seat on turn
//	POST  games/ID/hint      {"ply"} returns the analyst's best moves
//	GET   games/ID/positions/PLY  a position of the game, with the analyst's best lines
//	GET   games/ID/version   the number of the newest change, for polling
//	GET   games/ID/record    {"record"}: the game as text
//	GET   games/ID/sgf       {"sgf"}: the game as SGF, if the format has the game
//
// Moves that are taken back are not lost: the game keeps abandoned lines, and shows them
// where they branch off the current line.
//
// A request that changes a game contains the number of actions so far ("ply"). If two pages
// show the same game, the slower one gets ErrLate, and nothing is played twice.
package host
