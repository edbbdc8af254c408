// Package web serves pages to play games in a browser and to watch training runs.
//
// A Server is an http.Handler. It serves two pages, which are embedded in the program
// and request nothing from other sites: / for games and /watch for runs. Package host
// answers requests below /api/, and package watch those below /api/runs.
//
// Errors are {"error": "…"} with a suitable status, such as 409 for a request that comes
// too late because another browser has moved.
//
// Each game is stored in a file and survives a restart of the server.
//
// Requests from other sites are refused, by Host and Origin. A Server that other
// machines can reach requires Options.Token, which a browser sends once in the address
// and then as a cookie.
package web
