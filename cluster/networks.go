package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"tiro/env"
	"tiro/net"
	"tiro/net/kernel"
)

// maxKept bounds the networks that a worker keeps beside the last one that it was asked
// for, in parameters.
const maxKept = 64 << 20

// objectDigits is how many digits of a checksum name the object of a network.
const objectDigits = 16

// networks are the networks that a worker has fetched, those that were used last first.
type networks []fetched

// fetched is a network in memory.
type fetched struct {
	sum        string // SHA-256 of its weights file
	game       string // canonical game string that it was trained for
	backend    string
	parameters int
	model      *net.Model
}

// find returns a network whose checksum begins with sum, and makes it the newest.
func (n networks) find(sum, game, backend string) *net.Model {
	i := slices.IndexFunc(n, func(f fetched) bool {
		return strings.HasPrefix(f.sum, sum) && f.game == game && f.backend == backend
	})
	if i < 0 {
		return nil
	}
	f := n[i]
	copy(n[1:], n[:i])
	n[0] = f
	return f.model
}

// add adds the newest network, and forgets those that were not used for long.
func (n *networks) add(f fetched) {
	*n = slices.Insert(*n, 0, f)
	all := 0
	for i, f := range *n {
		if all += f.parameters; i > 0 && all > maxKept {
			*n = slices.Delete(*n, i, len(*n))
			return
		}
	}
}

// network returns the network of a game whose checksum begins with sum, from the object
// store if it is not there. It waits until it is.
func (f *fetcher) network(ctx context.Context, sum string, spec env.Spec, backend kernel.Backend) (*net.Model, error) {
	if model := f.networks.find(sum, spec.Name, backend.Name()); model != nil {
		return model, nil
	}
	err := tryFor(ctx, f.failed, func() error {
		data, err := download(ctx, f.js, objectOf(sum), maxWeights)
		if err != nil {
			return err
		}
		w, err := net.ReadWeights(data, spec)
		if err != nil {
			return fmt.Errorf("%w: %w", errRefused, err)
		}
		found, err := w.Checksum()
		if err == nil && !strings.HasPrefix(found, sum) {
			err = fmt.Errorf("%w: the network is %s; the announcement names %s", errRefused, found[:objectDigits], sum)
		}
		if err == nil {
			f.got(objectOf(found))
			f.networks.add(fetched{found, spec.Name, backend.Name(), w.Parameters(), net.Compile(backend, w)})
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return f.networks[0].model, nil
}

// objectOf returns the name of a network's object.
func objectOf(sum string) string { return sum[:min(len(sum), objectDigits)] }
