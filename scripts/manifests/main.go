// Command manifests checks the files in deploy/ against Kubernetes and Compose. Each Kubernetes
// object is decoded strictly into the types of its API version, and the Compose file is validated
// with the specification's own schema.
//
//	go -C scripts/manifests run . ../../deploy
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/compose-spec/compose-go/v2/cli"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: manifests FOLDER")
		os.Exit(2)
	}
	err := errors.Join(checkKubernetes(filepath.Join(os.Args[1], "kubernetes.yaml")), checkCompose(filepath.Join(os.Args[1], "compose.yaml")))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// checkKubernetes decodes all objects in a file.
func checkKubernetes(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(core.AddToScheme(scheme), apps.AddToScheme(scheme), networking.AddToScheme(scheme)); err != nil {
		return err
	}
	decoder := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{Yaml: true, Strict: true})
	documents := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for n := 1; ; n++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: document %d: %w", path, n, err)
		}
		object, kind, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return fmt.Errorf("%s: document %d: %w", path, n, err)
		}
		fmt.Printf("%s: %s is valid as %T\n", path, kind, object)
	}
}

// checkCompose loads a Compose file.
func checkCompose(path string) error {
	o, err := cli.NewProjectOptions([]string{path}, cli.WithName("tiro"))
	if err != nil {
		return err
	}
	project, err := o.LoadProject(context.Background())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	fmt.Printf("%s: services %v are valid\n", path, project.ServiceNames())
	return nil
}
