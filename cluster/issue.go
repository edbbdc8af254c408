package cluster

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
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
	Hosts   []string  // names and addresses by which workers reach the server
	Now     time.Time // from which on they are valid, a day before included
}

// Validity of certificates. Clocks of machines may differ by a day.
const (
	validFor   = 10 * 365 * 24 * time.Hour
	validSince = -24 * time.Hour
)

// NewCredentials makes what a trainer, its server and workers need, and returns the
// file of each worker that is new. In a folder that holds credentials already, those
// stay, and what is missing is added. With hosts, the server gets a new certificate.
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
	ca, err := i.authority()
	if err != nil {
		return nil, err
	}
	if err := i.server(ca); err != nil {
		return nil, err
	}
	r := roster{Header: credentialsHeader, Workers: map[string]string{}}
	known, err := exists(i.path(rosterFile))
	if known {
		r, err = readRoster(i.path(rosterFile))
	}
	if err != nil {
		return nil, err
	}
	if r.Trainer == "" {
		if r.Trainer, err = i.person("", i.path(trainerFile), ca); err != nil {
			return nil, err
		}
	}
	for _, name := range i.Workers {
		if _, ok := r.Workers[name]; ok {
			continue
		}
		file := i.path("worker-" + name + ".json")
		if r.Workers[name], err = i.person(name, file, ca); err != nil {
			return nil, err
		}
		files = append(files, file)
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
	known, err := exists(i.path(authorityFile))
	foreign := slices.IndexFunc(entries, func(e fs.DirEntry) bool { return !begun(e.Name()) })
	if err == nil && !known && foreign >= 0 {
		err = fmt.Errorf("%s holds %s and no %s; want a new or an empty folder, or one with credentials", i.Dir, entries[foreign].Name(), authorityFile)
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
	return slices.Contains([]string{"lock", "lock.held", authorityKey, authorityFile}, name)
}

// signer is a certificate that signs others.
type signer struct {
	certificate *x509.Certificate
	key         any
	text        []byte // PEM
}

// authority returns the certificate that signs the server's. It is made once.
func (i *Issue) authority() (*signer, error) {
	there, err := exists(i.path(authorityFile))
	if err != nil {
		return nil, err
	}
	if !there {
		template := i.template("tiro cluster")
		template.IsCA, template.BasicConstraintsValid = true, true
		template.KeyUsage = x509.KeyUsageCertSign
		if err := i.certify(template, nil, authorityFile, authorityKey); err != nil {
			return nil, err
		}
	}
	pair, err := tls.LoadX509KeyPair(i.path(authorityFile), i.path(authorityKey))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", i.path(authorityFile), err)
	}
	text, err := os.ReadFile(i.path(authorityFile))
	return &signer{pair.Leaf, pair.PrivateKey, text}, err
}

// server makes the certificate of the server, if there is none or hosts are given.
func (i *Issue) server(ca *signer) error {
	there, err := exists(i.path(serverFile))
	if err != nil {
		return err
	}
	if there && len(i.Hosts) == 0 {
		if _, err := tls.LoadX509KeyPair(i.path(serverFile), i.path(serverKey)); err == nil {
			return nil
		} // a killed process has written one of them
	}
	template := i.template("tiro server")
	template.KeyUsage = x509.KeyUsageDigitalSignature
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	for _, host := range slices.Concat([]string{"localhost", "127.0.0.1", "::1"}, i.Hosts) {
		if ip := net.ParseIP(host); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	return i.certify(template, ca, serverFile, serverKey)
}

func (i *Issue) template(name string) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		panic(err) // crypto/rand never fails
	}
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name},
		NotBefore: i.Now.Add(validSince), NotAfter: i.Now.Add(validFor),
	}
}

// certify writes a certificate, signed by ca or by itself, and its key.
func (i *Issue) certify(template *x509.Certificate, ca *signer, file, keyFile string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	parent, by := template, any(key)
	if ca != nil {
		parent, by = ca.certificate, ca.key
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, by)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return errors.Join(
		i.write(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})),
		i.write(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})),
	)
}

// person writes the credentials of a worker, or of the trainer, and returns the
// public key.
func (i *Issue) person(name, file string, ca *signer) (public string, err error) {
	seed, public, err := newKey()
	if err == nil {
		err = i.writeJSON(filepath.Base(file), &Credentials{Header: credentialsHeader, Worker: name, Seed: seed, Authority: string(ca.text)})
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
