package cli

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"tiro/disk"
)

// requireCommandLine checks that the program accepts a command line, given without the
// program's name. It does not run the command.
func requireCommandLine(t *testing.T, words []string) {
	words = slices.Clone(words)
	for i, w := range words {
		if strings.HasPrefix(w, "opencl") { // this machine may have no such device
			words[i] = "go"
		}
	}
	cmd, rest, err := newRoot(shippedGames, disk.OS{}).Find(words)
	require.NoError(t, err, "%q", words)
	require.NoError(t, cmd.ParseFlags(rest), "%q", words)
	require.NoError(t, cmd.Args(cmd, cmd.Flags().Args()), "%q", words)
}

// TestDeploy: the command lines in deploy/ and docs/CLUSTER.md are valid, and the files in
// deploy/ agree on names. make manifests checks the files against the schemas of Kubernetes and
// Compose.
func TestDeploy(t *testing.T) {
	read := func(path string) []byte {
		data, err := os.ReadFile("../" + path)
		require.NoError(t, err)
		return data
	}
	commands := 0
	for unit, prefix := range map[string]string{
		"deploy/tiro-worker.service": "ExecStart=/usr/local/bin/tiro ", "deploy/tiro-train.service": "ExecStart=/usr/local/bin/tiro ",
		"deploy/slurm.sh": "srun tiro ",
	} {
		for line := range strings.Lines(string(read(unit))) {
			if command, ok := strings.CutPrefix(line, prefix); ok {
				requireCommandLine(t, strings.Fields(command))
				commands++
			}
		}
	}
	for line := range strings.Lines(string(read("docs/CLUSTER.md"))) {
		line, _, _ = strings.Cut(line, "   #")
		if command, ok := strings.CutPrefix(strings.TrimPrefix(line, "bin/"), "tiro "); ok {
			requireCommandLine(t, strings.Fields(command))
			commands++
		}
	}
	require.Equal(t, 3+3, commands)

	var compose struct {
		Services map[string]struct {
			Command  []string
			User     string
			ReadOnly bool     `yaml:"read_only"`
			CapDrop  []string `yaml:"cap_drop"`
			Security []string `yaml:"security_opt"`
		}
	}
	require.NoError(t, yaml.Unmarshal(read("deploy/compose.yaml"), &compose))
	require.Len(t, compose.Services, 2)
	for _, service := range compose.Services {
		requireCommandLine(t, service.Command)
		require.Equal(t, "65532:65532", service.User)
		require.True(t, service.ReadOnly)
		require.Equal(t, []string{"ALL"}, service.CapDrop)
		require.Equal(t, []string{"no-new-privileges:true"}, service.Security)
	}
	for file, keys := range map[string]string{".gitignore": "keys/", ".dockerignore": "**/keys"} { // in any folder
		require.Contains(t, strings.Fields(string(read(file))), keys, "secrets stay out of "+file)
	}
	require.Contains(t, string(read("Containerfile")), "\nUSER 65532:65532\n")
	requireKubernetes(t, read("deploy/kubernetes.yaml"))
}

// object holds the fields of a Kubernetes object that the test checks.
type object struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		ServiceName string `yaml:"serviceName"`
		Selector    map[string]any
		Template    struct {
			Metadata struct{ Labels map[string]any }
			Spec     struct {
				SecurityContext struct {
					NonRoot bool `yaml:"runAsNonRoot"`
				} `yaml:"securityContext"`
				Token      *bool `yaml:"automountServiceAccountToken"`
				Containers []struct {
					Args            []string
					SecurityContext struct {
						Escalation   *bool `yaml:"allowPrivilegeEscalation"`
						ReadOnly     bool  `yaml:"readOnlyRootFilesystem"`
						Capabilities struct{ Drop []string }
					} `yaml:"securityContext"`
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
	require.Len(t, objects, 4) // includes the NetworkPolicy
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
		pod, no := o.Spec.Template.Spec, false
		require.True(t, pod.SecurityContext.NonRoot)
		require.Equal(t, &no, pod.Token)
		for _, c := range pod.Containers {
			requireCommandLine(t, c.Args)
			require.Equal(t, &no, c.SecurityContext.Escalation)
			require.True(t, c.SecurityContext.ReadOnly)
			require.Equal(t, []string{"ALL"}, c.SecurityContext.Capabilities.Drop)
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
