package host

import "tiro/format"

// SiteFile is the name of the file of a Site in the folder of a static page.
const SiteFile = "site.json"

// SiteHeader identifies the file of a Site.
var SiteHeader = format.Header{Format: 1, What: "tiro page"}

// Site lists the games of a static page. Addresses are relative to the page.
type Site struct {
	format.Header
	Program string     `json:"program"` // address of web/wasm, compressed by gzip
	Games   []SiteGame `json:"games"`
}

// SiteGame is a game of a static page, with a network that can play it.
type SiteGame struct {
	Offer
	Network string `json:"network"` // as in player.Spec.Network
	Weights string `json:"weights"` // address of its weights file
}
