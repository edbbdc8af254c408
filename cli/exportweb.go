package cli

import (
	"bytes"
	"fmt"

	"github.com/spf13/cobra"

	"tiro/disk"
	"tiro/models/bundled"
	"tiro/web"
	"tiro/web/host"
)

// exportWeb writes a page that plays a network without a server into a folder, or one
// with all bundled models if name is bundledName.
func (c catalog) exportWeb(cmd *cobra.Command, name, dir string) error {
	path, err := systemPath(dir)
	if err != nil {
		return err
	}
	shown, err := c.siteGames(name)
	if err != nil {
		return err
	}
	if err := web.WriteSite(disk.OS{}, path, shown, licenses); err != nil {
		return err
	}
	out, size := cmd.OutOrStdout(), 0
	for _, g := range shown {
		size += len(g.Weights)
		fmt.Fprintf(out, "%s: %s\n", dir, g.Offer.Title)
	}
	fmt.Fprintf(out, "%s/index.html opens from any web server (%.1f MB of networks)\n", dir, float64(size)/1e6)
	return nil
}

// siteGames returns the games of a page with the network of a name.
func (c catalog) siteGames(name string) ([]web.SiteGame, error) {
	names := []string{name}
	if name == bundledName {
		all, err := bundled.Games(c.Table)
		if err != nil {
			return nil, err
		}
		names = nil
		for _, game := range all {
			names = append(names, bundledName+":"+game)
		}
	}
	var all []web.SiteGame
	for _, name := range names {
		n, err := c.openNetwork(name, "")
		if err != nil {
			return nil, err
		}
		g, err := c.siteGame(n, isBundled(name))
		if err != nil {
			return nil, err
		}
		all = append(all, g)
	}
	return all, nil
}

// siteGame returns the game that a network was trained for, with its weights.
func (c catalog) siteGame(n network, isBundled bool) (web.SiteGame, error) {
	name := n.weights.Spec.Name
	game, err := c.Table.New(name)
	if err != nil {
		return web.SiteGame{}, err
	}
	seat := host.Network{Path: name, Text: "network", Spec: n.weights.Spec}
	if isBundled {
		seat = bundledNetwork(n)
	}
	var weights bytes.Buffer
	err = n.weights.Write(&weights)
	return web.SiteGame{Offer: host.NewOffer(game, c.Title(name), seat), Network: seat.Path, Weights: weights.Bytes()}, err
}
