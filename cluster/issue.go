package cluster

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"tiro/disk"
	"tiro/format"
)

// Issue says which credentials are to be made.
type Issue struct {
	Dir     string    // folder of all credentials, which is made if it is not there
	Workers []string  // names of workers that are to have some
	Now     time.Time // is written into the server's certificate, which is believed at any time
}

// NewCredentials makes what a trainer, its server and workers need, and returns the
// file of each worker that is new. In a folder that holds credentials already, those
// stay, and what is missing is added.
func NewCredentials(i Issue) (files []string, err error) {
	if files, err = i.make(); err != nil {
		return nil, fmt.Errorf("cluster: credentials: %w", err)
	}
	return files, nil
}

func (i *Issue) make() (files []string, err error) {
	for _, name := range i.Workers {
		if err := CheckName(name); err != nil {
			return nil, err
		}
	}
	if err := i.folder(); err != nil {
		return nil, err
	}
	unlock, err := disk.LockFolder(disk.OS{}, i.Dir, "*.pem", "*.json", natsFile)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	r := roster{Header: credentialsHeader, Workers: map[string]string{}}
	known, err := exists(i.path(rosterFile))
	if known {
		r, err = readRoster(i.path(rosterFile))
	}
	if err != nil {
		return nil, err
	}
	certificate, err := i.server(known)
	if err != nil {
		return nil, err
	}
	if r.Trainer == "" {
		if r.Trainer, err = i.person("", trainerFile, certificate); err != nil {
			return nil, err
		}
	}
	for _, name := range i.Workers {
		if _, ok := r.Workers[name]; ok {
			continue
		}
		file := "worker-" + name + ".json"
		if r.Workers[name], err = i.person(name, file, certificate); err != nil {
			return nil, err
		}
		files = append(files, i.path(file))
	}
	if err := i.writeJSON(rosterFile, &r); err != nil {
		return nil, err
	}
	text, err := natsConfig(&r, i.Dir)
	if err != nil {
		return nil, err
	}
	return files, i.write(natsFile, text)
}

func (i *Issue) path(name string) string { return filepath.Join(i.Dir, name) }

// folder makes the folder, which only its owner can read.
func (i *Issue) folder() error {
	there, err := exists(i.Dir)
	if err != nil {
		return err
	}
	if !there {
		return os.Mkdir(i.Dir, 0o700)
	}
	entries, err := os.ReadDir(i.Dir)
	if err != nil {
		return err
	}
	known, err := exists(i.path(rosterFile))
	foreign := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return !begun(e.Name()) })
	if err == nil && !known && foreign >= 0 {
		err = fmt.Errorf("%s holds %s and no %s; want a new or an empty folder, or one with credentials", i.Dir, entries[foreign].Name(), rosterFile)
	}
	if err == nil {
		err = os.Chmod(i.Dir, 0o700)
	}
	return err
}

// begun reports whether a name may be all that there is in a folder of credentials that another
// process has just begun, or was killed at.
func begun(name string) bool {
	name = strings.TrimSuffix(name, disk.Unfinished)
	return slices.Contains([]string{"lock", "lock.held", serverKey, serverFile, trainerFile}, name) || strings.HasPrefix(name, "worker-")
}

// server returns the server's certificate as PEM. It is made once: workers know it.
func (i *Issue) server(known bool) ([]byte, error) {
	if _, err := tls.LoadX509KeyPair(i.path(serverFile), i.path(serverKey)); known && err != nil {
		return nil, fmt.Errorf("%s: %w; workers know the server from this file and its key, so bring them back, or begin with an empty folder", i.path(serverFile), err)
	} else if err != nil {
		if err := i.certify(); err != nil {
			return nil, err
		}
	}
	return os.ReadFile(i.path(serverFile))
}

// certify writes a certificate that is signed by itself, and its key. Its dates and names
// are for other programs than this one.
func (i *Issue) certify() error {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	template := &x509.Certificate{
		SerialNumber: serial, DNSNames: []string{"localhost"}, NotBefore: i.Now.AddDate(0, 0, -1), NotAfter: i.Now.AddDate(100, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return errors.Join(
		i.write(serverKey, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})),
		i.write(serverFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})),
	)
}

// person writes the credentials of a worker, or of the trainer, and returns the
// public key.
func (i *Issue) person(name, file string, certificate []byte) (public string, err error) {
	seed, public, err := newKey()
	if err == nil {
		err = i.writeJSON(file, &Credentials{Header: credentialsHeader, Worker: name, Seed: seed, Server: string(certificate)})
	}
	return public, err
}

func (i *Issue) writeJSON(name string, v any) error {
	var b bytes.Buffer
	if err := format.EncodeJSON(&b, v); err != nil {
		return err
	}
	return i.write(name, b.Bytes())
}

// write writes a file that only its owner can read.
func (i *Issue) write(name string, data []byte) error {
	if err := disk.WriteFile(disk.OS{}, i.path(name), disk.Bytes(data)); err != nil {
		return err
	}
	return os.Chmod(i.path(name), 0o600)
}
