package cluster

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
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

	"github.com/nats-io/nkeys"

	"tiro/disk"
	"tiro/format"
)

// Files in a folder of credentials. Only the trainer's file is read, and files of workers.
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

var credentialsHeader = format.Header{Format: 2, What: "tiro cluster credentials"}

// Credentials prove the identity of a program, and identify the server.
type Credentials struct {
	format.Header
	Worker string `json:"worker"` // name of the worker; empty: the trainer
	Seed   string `json:"seed"`   // secret key, an nkey
	Server string `json:"server"` // certificate of the server, PEM

	// Only of the trainer.
	Key     string            `json:"key,omitempty"`     // secret key of the certificate, PEM
	Workers map[string]string `json:"workers,omitempty"` // public nkeys by name
}

// ReadCredentials reads the file of a worker.
func ReadCredentials(path string) (*Credentials, error) {
	c, err := readCredentials(path)
	if err == nil && c.Worker == "" {
		err = fmt.Errorf("%s: these are the credentials of a trainer; a worker has its own file", path)
	} else if err == nil {
		err = in(path, CheckName(c.Worker))
	}
	return c, err
}

// readTrainer reads the trainer's file, or the one in a folder.
func readTrainer(path string) (*Credentials, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, trainerFile)
	}
	c, err := readCredentials(path)
	if err != nil {
		return nil, err
	}
	if c.Worker != "" {
		return nil, fmt.Errorf("%s: these are the credentials of worker %s, not of the trainer", path, c.Worker)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Workers)) {
		err := CheckName(name)
		if err == nil && !nkeys.IsValidPublicUserKey(c.Workers[name]) {
			err = fmt.Errorf("worker %s has the key %.70q, which is not a public nkey of a user", name, c.Workers[name])
		}
		if err != nil {
			return nil, in(path, err)
		}
	}
	return c, nil
}

func readCredentials(path string) (*Credentials, error) {
	data, err := disk.ReadFile(disk.OS{}, path, maxCredentials)
	if err == nil {
		err = format.CheckJSON(data, credentialsHeader)
	}
	c := new(Credentials)
	if err == nil {
		err = json.Unmarshal(data, c)
	}
	return c, in(path, err)
}

// in adds the path of a file to an error.
func in(path string, err error) error {
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return err
}

// identity returns the key pair and the public key.
func (c *Credentials) identity() (pair nkeys.KeyPair, public string, err error) {
	if pair, err = nkeys.FromSeed([]byte(c.Seed)); err == nil {
		public, err = pair.PublicKey()
	}
	if err != nil {
		err = fmt.Errorf("credentials: seed: %w", err)
	}
	return pair, public, err
}

// config returns the configuration of a trainer's server. TLS is its block tls, if any.
func (c *Credentials) config(tls string) (string, error) {
	_, public, err := c.identity()
	users := []string{fmt.Sprintf("{ nkey: %s } # the trainer", public)}
	for _, name := range slices.Sorted(maps.Keys(c.Workers)) {
		users = append(users, workerUser("nkey: "+c.Workers[name], name)+" # "+name)
	}
	return natsConfig(tls, users), err
}

// NewCredentials creates the credentials of a trainer, its server and workers in a folder,
// and returns the files of the new workers. If the folder has credentials already, it only
// adds to them.
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
	trainer, err := readTrainer(dir)
	if errors.Is(err, fs.ErrNotExist) {
		trainer, err = newTrainerCredentials()
	}
	if err != nil {
		return nil, err
	}
	if trainer.Workers == nil {
		trainer.Workers = map[string]string{}
	}
	for _, name := range workers {
		if trainer.Workers[name] != "" {
			continue
		}
		c, public, err := newIdentity(name, trainer.Server)
		if err == nil {
			files = append(files, filepath.Join(dir, "worker-"+name+".json"))
			err = writeCredentials(files[len(files)-1], c)
		}
		if err != nil {
			return nil, err
		}
		trainer.Workers[name] = public
	}
	if err := writeCredentials(filepath.Join(dir, trainerFile), trainer); err != nil {
		return nil, err
	}
	return files, writeServer(dir, trainer)
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

// newIdentity returns new credentials, and their public key.
func newIdentity(name, server string) (*Credentials, string, error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return nil, "", err
	}
	seed, err := pair.Seed()
	if err != nil {
		return nil, "", err
	}
	c := &Credentials{Header: credentialsHeader, Worker: name, Seed: string(seed), Server: server}
	_, public, err := c.identity()
	return c, public, err
}

// newTrainerCredentials returns new credentials with a self-signed certificate, which is
// valid whatever the clocks show.
func newTrainerCredentials() (*Credentials, error) {
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
	if err != nil {
		return nil, err
	}
	c, _, err := newIdentity("", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})))
	if err == nil {
		c.Key = string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}))
	}
	return c, err
}

// writeServer writes the files for an external server.
func writeServer(dir string, c *Credentials) error {
	full, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	config, err := c.config(fmt.Sprintf("tls { cert_file: %q, key_file: %q, timeout: 5, min_version: \"1.3\" }", filepath.Join(full, serverFile), filepath.Join(full, serverKey)))
	const about = "# For nats-server -c FILE, written by tiro cluster credentials. Adapt the paths to the server's machine.\n"
	return errors.Join(err,
		writeSecret(filepath.Join(dir, serverFile), []byte(c.Server)),
		writeSecret(filepath.Join(dir, serverKey), []byte(c.Key)),
		writeSecret(filepath.Join(dir, natsFile), []byte(about+config)))
}

func writeCredentials(path string, c *Credentials) error {
	var b bytes.Buffer
	if err := format.EncodeJSON(&b, c); err != nil {
		return err
	}
	return writeSecret(path, b.Bytes())
}

// writeSecret writes a file that only its owner can read.
func writeSecret(path string, data []byte) error {
	if err := disk.WriteFile(disk.OS{}, path, disk.Bytes(data)); err != nil {
		return err
	}
	return os.Chmod(path, 0o600)
}
