package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"tiro/disk"
)

// requireCommandLine checks that a command line without the program's name is one that this
// program takes: it does not carry it out.
func requireCommandLine(t *testing.T, words []string) {
	cmd, rest, err := newRoot(shippedGames, disk.OS{}).Find(words)
	require.NoError(t, err, "%q", words)
	require.NoError(t, cmd.ParseFlags(rest), "%q", words)
	require.NoError(t, cmd.Args(cmd, cmd.Flags().Args()), "%q", words)
}

// TestDeploy: the command lines in deploy/ and in docs/CLUSTER.md are valid, and what
// belongs together in deploy/ has the same names. make manifests checks the files by the
// schemas of Kubernetes and Compose.
func TestDeploy(t *testing.T) {
	read := func(path string) []byte {
		data, err := os.ReadFile("../" + path)
		require.NoError(t, err)
		return data
	}
	commands := 0
	for _, unit := range []string{"deploy/tiro-worker.service", "deploy/tiro-train.service"} {
		for line := range strings.Lines(string(read(unit))) {
			if command, ok := strings.CutPrefix(line, "ExecStart=/usr/local/bin/tiro "); ok {
				requireCommandLine(t, strings.Fields(command))
				commands++
			}
		}
	}
	for line := range strings.Lines(string(read("docs/CLUSTER.md"))) {
		line, _, _ = strings.Cut(line, "   #")
		if command, ok := strings.CutPrefix(line, "tiro "); ok {
			requireCommandLine(t, strings.Fields(command))
			commands++
		}
	}
	require.Equal(t, 2+8, commands)

	var compose struct {
		Services map[string]struct{ Command []string }
	}
	require.NoError(t, yaml.Unmarshal(read("deploy/compose.yaml"), &compose))
	require.Len(t, compose.Services, 2)
	for _, service := range compose.Services {
		requireCommandLine(t, service.Command)
	}
	requireKubernetes(t, read("deploy/kubernetes.yaml"))
}

// object is what the test looks at of a Kubernetes object.
type object struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		ServiceName string `yaml:"serviceName"`
		Selector    map[string]any
		Template    struct {
			Metadata struct{ Labels map[string]any }
			Spec     struct {
				Containers []struct {
					Args         []string
					VolumeMounts []struct{ Name string } `yaml:"volumeMounts"`
				}
				Volumes []struct{ Name string }
			}
		}
		VolumeClaimTemplates []struct{ Metadata struct{ Name string } } `yaml:"volumeClaimTemplates"`
	}
}

func requireKubernetes(t *testing.T, data []byte) {
	objects := map[string]object{}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var o object
		err := decoder.Decode(&o)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		objects[o.Kind] = o
	}
	require.Len(t, objects, 3)
	service, trainer := objects["Service"], objects["StatefulSet"]
	require.Equal(t, service.Metadata.Name, trainer.Spec.ServiceName)
	require.Equal(t, service.Spec.Selector, trainer.Spec.Template.Metadata.Labels)
	for _, kind := range []string{"StatefulSet", "Deployment"} {
		o := objects[kind]
		require.Equal(t, o.Spec.Selector["matchLabels"], any(o.Spec.Template.Metadata.Labels), kind)
		volumes := map[string]bool{}
		for _, v := range o.Spec.Template.Spec.Volumes {
			volumes[v.Name] = true
		}
		for _, v := range o.Spec.VolumeClaimTemplates {
			volumes[v.Metadata.Name] = true
		}
		for _, c := range o.Spec.Template.Spec.Containers {
			requireCommandLine(t, c.Args)
			for _, mount := range c.VolumeMounts {
				require.True(t, volumes[mount.Name], mount.Name)
			}
		}
		worker := o.Spec.Template.Spec.Containers[0].Args
		if kind == "Deployment" {
			require.Contains(t, worker, "nats://"+service.Metadata.Name+":4222")
		}
	}
}
