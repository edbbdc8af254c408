package cluster

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
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
	rosterFile    = "roster.json"  // who may connect: public keys
	trainerFile   = "trainer.json" // the trainer's Credentials
	authorityFile = "ca.pem"       // certificate that signs the server's
	authorityKey  = "ca-key.pem"
	serverFile    = "server.pem" // certificate of the server
	serverKey     = "server-key.pem"
	natsFile      = "nats-server.conf" // the same for an external server
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
	Worker    string `json:"worker"`    // name of the worker; empty: the trainer
	Seed      string `json:"seed"`      // secret key, an nkey
	Authority string `json:"authority"` // certificate that signs the server's, PEM
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

// tls returns what a client needs to know its server by.
func (c *Credentials) tls() (*tls.Config, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(c.Authority)) {
		return nil, errors.New("the credentials hold no certificate")
	}
	return &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS13}, nil
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
	o.TLSTimeout, o.AuthTimeout = 10, 12 // seconds; a slow link takes longer than the default
	o.Nkeys = append(o.Nkeys, &server.NkeyUser{Nkey: k.roster.Trainer})
	for _, name := range slices.Sorted(maps.Keys(k.roster.Workers)) {
		publish, subscribe := workerSubjects(name)
		o.Nkeys = append(o.Nkeys, &server.NkeyUser{
			Nkey: k.roster.Workers[name],
			Permissions: &server.Permissions{
				Publish:   &server.SubjectPermission{Allow: publish},
				Subscribe: &server.SubjectPermission{Allow: subscribe},
			},
		})
	}
}

// workerSubjects returns all that a worker may publish and subscribe to: to ask for
// games, to send games, and to read the announcement and the weights.
func workerSubjects(name string) (publish, subscribe []string) {
	publish = []string{leasePrefix + name, episodePrefix + "*." + name}
	for _, stream := range []string{"KV_" + bucket, "OBJ_" + weightsStore} {
		publish = append(publish,
			"$JS.API.STREAM.INFO."+stream, "$JS.API.DIRECT.GET."+stream+".>", "$JS.API.STREAM.MSG.GET."+stream,
			"$JS.API.CONSUMER.CREATE."+stream+".>", "$JS.API.CONSUMER.DELETE."+stream+".>", "$JS.FC."+stream+".>")
	}
	return publish, []string{inboxPrefix + name + ".>"}
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
