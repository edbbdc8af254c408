//go:build unix

package cluster_test

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// namespace is a network namespace of Linux with one interface, whose other end is an
// interface of this machine that has the name of the namespace.
type namespace struct {
	t    testing.TB
	name string
	host string // address of this machine on that link
}

// needNamespaces skips the test where there can be none.
func needNamespaces(t *testing.T) {
	_, err := exec.LookPath("ip")
	if runtime.GOOS != "linux" || os.Geteuid() != 0 || err != nil {
		t.Skip("SKIPPED: network namespaces need Linux, root and the program ip")
	}
}

// newNamespace makes namespace number i of this process, which goes at the end of the
// test.
func newNamespace(t testing.TB, i int) *namespace {
	pid := os.Getpid()
	subnet := fmt.Sprintf("10.%d.%d.", 200+i/60, pid%256)
	n := &namespace{t, fmt.Sprintf("tiro%d-%d", pid%100_000, i), fmt.Sprint(subnet, 4*(i%60)+1)}
	inside := fmt.Sprint(subnet, 4*(i%60)+2, "/30")
	n.ip("netns", "add", n.name)
	t.Cleanup(func() { n.ip("netns", "delete", n.name) })
	n.ip("link", "add", n.name, "type", "veth", "peer", "name", "eth0", "netns", n.name)
	n.ip("address", "add", n.host+"/30", "dev", n.name)
	n.ip("link", "set", n.name, "up")
	n.ip("-n", n.name, "address", "add", inside, "dev", "eth0")
	n.ip("-n", n.name, "link", "set", "eth0", "up")
	n.ip("-n", n.name, "link", "set", "lo", "up")
	return n
}

// ip runs ip.
func (n *namespace) ip(args ...string) {
	out, err := exec.Command("ip", args...).CombinedOutput()
	require.NoError(n.t, err, "ip %v: %s", args, out)
}
