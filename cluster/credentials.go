package cluster

import (
	"bytes"
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"tiro/disk"
	"tiro/format"
	"tiro/rundir"
)

// Files in a folder of credentials, besides the workers'. Only the trainer's is read.
const (
	trainerFile = "trainer.json"     // Credentials
	natsFile    = "nats-server.conf" // for an external server, as the other two
	serverFile  = "server.pem"
	serverKey   = "server-key.pem"
)

// maxCredentials bounds these files, in bytes.
const maxCredentials = 1 << 20

// serverName is the name in a server's certificate, wherever the server is.
const serverName = "localhost"

var credentialsHeader = format.Header{Format: 3, What: "tiro cluster credentials"}

// Credentials prove the identity of a program, and identify the server.
type Credentials struct {
	format.Header
	Worker string `json:"worker"` // name of the worker; empty: the trainer
	Secret string `json:"secret"` // password, which only the server with the certificate receives
	Server string `json:"server"` // certificate of the server, PEM

	// Only of the trainer.
	Key     string            `json:"key,omitempty"`     // secret key of the certificate, PEM
	Workers map[string]string `json:"workers,omitempty"` // secrets by name
}

// ReadCredentials reads the file of a worker.
func ReadCredentials(path string) (*Credentials, error) { return readCredentials(path, false) }

// readCredentials reads the file of the trainer, also by the name of its folder, or of a worker.
func readCredentials(path string, trainer bool) (*Credentials, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, trainerFile)
	}
	c := new(Credentials)
	data, err := disk.ReadFile(disk.OS{}, path, maxCredentials)
	if err != nil {
		return nil, err
	}
	if err = format.DecodeJSON(data, credentialsHeader, c); err == nil {
		err = c.check(trainer)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return c, nil
}

// check returns an error unless these are credentials of a trainer, or else of a worker.
func (c *Credentials) check(trainer bool) error {
	secrets := maps.Clone(c.Workers)
	switch {
	case trainer && c.Worker != "":
		return fmt.Errorf("these are the credentials of worker %s, not of the trainer", c.Worker)
	case !trainer && c.Worker == "":
		return errors.New("these are the credentials of a trainer; a worker has its own file")
	case !trainer:
		secrets = map[string]string{c.Worker: c.Secret}
	}
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		if err := CheckName(name); err != nil {
			return err
		}
		if n := len(secrets[name]); n < minSecret {
			return fmt.Errorf("worker %s has a secret of %d letters; the minimum is %d", name, n, minSecret)
		}
	}
	if len(c.Secret) < minSecret || !x509.NewCertPool().AppendCertsFromPEM([]byte(c.Server)) {
		return errors.New("the secret or the server's certificate is missing")
	}
	if trainer {
		_, err := tls.X509KeyPair([]byte(c.Server), []byte(c.Key))
		return err
	}
	return nil
}

// minSecret is the least length of a secret, which new credentials exceed.
const minSecret = 16

// config returns the configuration of a trainer's server, with its block tls, if any.
// Without a certificate anybody can connect as a worker.
func (c *Credentials) config(block string) string {
	const login = "{ user: %q, password: %q"
	users := []string{fmt.Sprintf(login+" }", rundir.Trainer, c.Secret)}
	add := func(name, secret, subjects string) {
		users = append(users, fmt.Sprintf(login+", permissions: { publish: %q, subscribe: [%q, %q] } }",
			name, secret, askPrefix+subjects, inboxPrefix+subjects+".>", newsSubject))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Workers)) {
		add(name, c.Workers[name], name)
	}
	if c.Server == "" {
		add("worker", rand.Text(), "*")
		block = "no_auth_user: worker"
	}
	return natsConfig(block, users)
}

// login returns the options with which a connection proves its identity. Unless the server
// is in this process, it also accepts only the server with the credentials' certificate,
// wherever that is.
func (c *Credentials) login(embedded bool) []nats.Option {
	options := []nats.Option{nats.UserInfo(cmp.Or(c.Worker, rundir.Trainer), c.Secret)}
	if !embedded {
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM([]byte(c.Server)) // checked
		options = append(options, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS13, RootCAs: roots, ServerName: serverName}))
	}
	return options
}

// NewCredentials creates the credentials of a trainer, its server and workers in a folder,
// and returns the files that it has written for workers. If the folder has credentials already,
// it only adds to them, and writes missing files of these workers again.
func NewCredentials(dir string, workers []string) (files []string, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("cluster: credentials: %w", err)
		}
	}()
	for _, name := range workers {
		if err := CheckName(name); err != nil {
			return nil, err
		}
	}
	if err := prepareFolder(dir); err != nil {
		return nil, err
	}
	unlock, err := disk.LockFolder(disk.OS{}, dir, "*.pem", "*.json", natsFile)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	trainer, err := readCredentials(dir, true)
	if errors.Is(err, fs.ErrNotExist) {
		trainer, err = newCredentials()
	}
	if err != nil {
		return nil, err
	}
	if trainer.Workers == nil {
		trainer.Workers = map[string]string{}
	}
	for _, name := range workers {
		path, secret := filepath.Join(dir, "worker-"+name+".json"), trainer.Workers[name]
		if _, err := os.Stat(path); err == nil && secret != "" {
			continue
		}
		c := &Credentials{Header: credentialsHeader, Worker: name, Secret: cmp.Or(secret, rand.Text()), Server: trainer.Server}
		if err := c.write(path); err != nil {
			return nil, err
		}
		files, trainer.Workers[name] = append(files, path), c.Secret
	}
	return files, errors.Join(trainer.write(filepath.Join(dir, trainerFile)), trainer.writeServer(dir))
}

// prepareFolder makes a folder that only its owner can read. It refuses one with other files.
func prepareFolder(dir string) error {
	if err := os.Mkdir(dir, 0o700); err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), disk.Unfinished) // a process that was killed leaves these
		ours := slices.Contains([]string{"lock", "lock.held", natsFile, serverFile, serverKey, trainerFile}, name) || strings.HasPrefix(name, "worker-")
		if !ours {
			return fmt.Errorf("%s has %s, which does not belong to credentials; name a new or an empty folder, or one with credentials", dir, e.Name())
		}
	}
	return os.Chmod(dir, 0o700)
}

// newCredentials returns the credentials of a trainer with a self-signed certificate, which
// is valid whatever the clocks show.
func newCredentials() (*Credentials, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{serverName}, NotBefore: time.Unix(0, 0), NotAfter: time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	text := func(kind string, data []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: data}))
	}
	return &Credentials{
		Header: credentialsHeader, Secret: rand.Text(), Server: text("CERTIFICATE", certificate), Key: text("PRIVATE KEY", secret),
	}, err
}

// writeServer writes the files for an external server.
func (c *Credentials) writeServer(dir string) error {
	full, err := filepath.Abs(dir)
	config := c.config(fmt.Sprintf("tls { cert_file: %q, key_file: %q, timeout: 5, min_version: \"1.3\" }", filepath.Join(full, serverFile), filepath.Join(full, serverKey)))
	const about = "# For nats-server -c FILE, written by tiro cluster credentials. Adapt the paths to the server's machine.\n"
	return errors.Join(err,
		writeSecret(filepath.Join(dir, serverFile), []byte(c.Server)),
		writeSecret(filepath.Join(dir, serverKey), []byte(c.Key)),
		writeSecret(filepath.Join(dir, natsFile), []byte(about+config)))
}

func (c *Credentials) write(path string) error {
	var b bytes.Buffer
	return errors.Join(format.EncodeJSON(&b, c), writeSecret(path, b.Bytes()))
}

// writeSecret writes a file that only its owner can read.
func writeSecret(path string, data []byte) error {
	if err := disk.WriteFile(disk.OS{}, path, disk.Bytes(data)); err != nil {
		return err
	}
	return os.Chmod(path, 0o600)
}
