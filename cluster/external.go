package cluster

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// natsConfig returns what an external nats-server needs to let the same programs in
// as an embedded one, for its configuration file. Folder is where the certificates
// are.
func natsConfig(r *roster, folder string) ([]byte, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	line := func(format string, values ...any) { fmt.Fprintf(&b, format+"\n", values...) }
	line("# For nats-server -c FILE: who may connect, made by tiro cluster credentials.")
	line("# The paths are those of the machine that made it.")
	line("listen: 0.0.0.0:4222")
	line("max_payload: %d", maxMessage)
	line("max_pending: %d", maxUnsent)
	line("max_control_line: %d", maxControl)
	line("max_connections: %d", maxClients)
	line("jetstream { store_dir: %q, max_memory_store: %d }", "tiro-jetstream", maxMemory)
	line("tls { cert_file: %q, key_file: %q, timeout: 5 }", filepath.Join(folder, serverFile), filepath.Join(folder, serverKey))
	line("authorization {")
	line("  timeout: %d", loginTimeout)
	line("  users: [")
	line("    { nkey: %s } # the trainer", r.Trainer)
	for _, name := range slices.Sorted(maps.Keys(r.Workers)) {
		publish, subscribe := workerSubjects(name)
		line("    { nkey: %s, permissions: { publish: [%s], subscribe: [%s] } } # %s", r.Workers[name], subjects(publish), subjects(subscribe), name)
	}
	line("  ]")
	line("}")
	return []byte(b.String()), nil
}

// subjects returns a list of subjects in a configuration, in quotation marks since
// some begin with a dollar.
func subjects(all []string) string {
	quoted := make([]string, len(all))
	for i, s := range all {
		quoted[i] = fmt.Sprintf("%q", s)
	}
	return strings.Join(quoted, ", ")
}
