// Package web lets people play in a browser.
//
// A Server is an http.Handler. It serves one page, which is embedded in the program
// and asks for nothing from elsewhere, and answers its requests:
//
//	GET  /api/offer                    the games, and who can be seated in each
//	POST /api/games                    {"game", "seats"} begins a game, or {"record"} loads one
//	GET  /api/games/ID                 the game: board, legal moves, moves so far, win chances
//	POST /api/games/ID/play            {"ply", "move"} plays an action or a complete turn
//	POST /api/games/ID/undo            {"ply"} takes back what was played since a person last moved
//	POST /api/games/ID/resign          {"ply"} gives the game up for the seat on turn
//	POST /api/games/ID/hint            {"ply"} returns the best moves by the analyst
//	GET  /api/games/ID/record          the game as text
//	GET  /api/games/ID/events          server-sent events: one whenever the game has changed
//
// A request that changes a game says after how many actions it was made, so that of
// two browsers in one game the slower one learns that it is late (409) and nothing is
// played twice. Errors are {"error": "…"} with a fitting status.
//
// Games are kept in a folder, a file each, and survive a restart of the server. At
// most Options.MaxGames are in memory; the one that was looked at longest ago makes
// room.
//
// Requests from other sites are refused by Host and Origin. A Server that is
// reached from other machines needs Options.Token, which a browser gives once in the
// address and then as a cookie.
package web
