package cluster

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"tiro/disk"
	"tiro/format"
)

// Files in a folder of credentials.
const (
	rosterFile  = "roster.json"  // who may connect: public keys
	trainerFile = "trainer.json" // the trainer's Credentials
	serverFile  = "server.pem"   // certificate of the server
	serverKey   = "server-key.pem"
	natsFile    = "nats-server.conf" // the same for an external server
)

// maxCredentials bounds each of these files, in bytes.
const maxCredentials = 1 << 20

var credentialsHeader = format.Header{Format: 1, What: "tiro cluster credentials"}

// roster says who may connect to a server.
type roster struct {
	format.Header
	Trainer string            `json:"trainer"` // public key
	Workers map[string]string `json:"workers"` // public keys by name
}

// Credentials are what a program proves by who it is, and what it knows the server by.
type Credentials struct {
	format.Header
	Worker string `json:"worker"` // name of the worker; empty: the trainer
	Seed   string `json:"seed"`   // secret key, an nkey
	Server string `json:"server"` // certificate of the server, PEM
}

// ReadCredentials reads the file of a worker.
func ReadCredentials(path string) (*Credentials, error) {
	c := new(Credentials)
	if err := readJSON(path, credentialsHeader, c); err != nil {
		return nil, err
	}
	if c.Worker == "" {
		return nil, fmt.Errorf("%s: these are the credentials of a trainer; want those of a worker", path)
	}
	if err := CheckName(c.Worker); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// readRoster reads who may connect.
func readRoster(path string) (r roster, err error) {
	if err := readJSON(path, credentialsHeader, &r); err != nil {
		return r, err
	}
	if r.Workers == nil {
		r.Workers = map[string]string{}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Workers)) {
		if err := CheckName(name); err != nil {
			return r, fmt.Errorf("%s: %w", path, err)
		}
		if !nkeys.IsValidPublicUserKey(r.Workers[name]) {
			return r, fmt.Errorf("%s: worker %s has the key %.70q; want a public nkey of a user, U and 55 letters and digits", path, name, r.Workers[name])
		}
	}
	return r, nil
}

func readJSON(path string, want format.Header, v any) error {
	data, err := disk.ReadFile(disk.OS{}, path, maxCredentials)
	if err == nil {
		err = format.CheckJSON(data, want)
	}
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// tls returns the TLS of a client that believes the server with the credentials' certificate,
// and no other, wherever it is and whatever the clocks say.
func (c *Credentials) tls() (*tls.Config, error) {
	block, _ := pem.Decode([]byte(c.Server))
	if block == nil {
		return nil, errors.New("credentials: they hold no certificate of the server")
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		InsecureSkipVerify: true, // VerifyConnection is stricter
		VerifyConnection: func(state tls.ConnectionState) error {
			if !bytes.Equal(state.PeerCertificates[0].Raw, block.Bytes) {
				return errors.New("the server is not the one of the credentials: its certificate is another one")
			}
			return nil
		},
	}, nil
}

// keys are the credentials of a trainer, and what the server in it needs.
type keys struct {
	trainer     Credentials
	roster      roster
	certificate tls.Certificate
}

// trainerLogin returns the trainer's own credentials, or nil.
func (k *keys) trainerLogin() *Credentials {
	if k == nil {
		return nil
	}
	return &k.trainer
}

// readTrainerKeys reads the credentials in a folder, or the file of the trainer alone,
// which suffices where the server is elsewhere.
func readTrainerKeys(path string, embedded bool) (*keys, error) {
	dir := path
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if !info.IsDir() {
		dir = filepath.Dir(path)
	} else {
		path = filepath.Join(path, trainerFile)
	}
	k := new(keys)
	if err := readJSON(path, credentialsHeader, &k.trainer); err != nil {
		return nil, err
	}
	if k.trainer.Worker != "" {
		return nil, fmt.Errorf("%s: these are the credentials of worker %s; want those of the trainer", path, k.trainer.Worker)
	}
	if !embedded {
		return k, nil
	}
	var err error
	if k.roster, err = readRoster(filepath.Join(dir, rosterFile)); err != nil {
		return nil, err
	}
	if k.certificate, err = tls.LoadX509KeyPair(filepath.Join(dir, serverFile), filepath.Join(dir, serverKey)); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, serverFile), err)
	}
	return k, nil
}

// secure makes a server ask for credentials.
func (k *keys) secure(o *server.Options) {
	o.TLSConfig = &tls.Config{Certificates: []tls.Certificate{k.certificate}, MinVersion: tls.VersionTLS13}
	o.TLSTimeout = loginTimeout // a slow link takes longer than the default
	o.Nkeys = append(o.Nkeys, &server.NkeyUser{Nkey: k.roster.Trainer})
	for _, name := range slices.Sorted(maps.Keys(k.roster.Workers)) {
		o.Nkeys = append(o.Nkeys, &server.NkeyUser{Nkey: k.roster.Workers[name], Permissions: workerPermissions(name)})
	}
}

// newKey returns a new secret key and its public one.
func newKey() (seed, public string, err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return "", "", err
	}
	secret, err := pair.Seed()
	if err != nil {
		return "", "", err
	}
	public, err = pair.PublicKey()
	return string(secret), public, err
}

// exists reports whether there is something at a path.
func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
