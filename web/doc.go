// Package web lets people play in a browser, and watch training runs there.
//
// A Server is an http.Handler. It serves two pages, which are embedded in the program
// and ask for nothing from elsewhere: / for games and /watch for runs. It answers below
// /api/ what package host answers, and below /api/runs what package watch does.
//
// Errors are {"error": "…"} with a fitting status: 409 for a request that comes too
// late, because another browser has moved.
//
// Games are kept in a folder, a file each, and survive a restart of the server.
//
// Requests from other sites are refused by Host and Origin. A Server that is
// reached from other machines needs Options.Token, which a browser gives once in the
// address and then as a cookie.
package web
