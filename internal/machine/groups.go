package machine

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// controlGroups calls visit for each folder, in the file system root, of the Linux control
// groups that limit a controller such as cpu for this process: the process's own groups and
// those around them, as far as a container sees them. Some of the folders may not exist.
func controlGroups(root fs.FS, controller string, visit func(dir string, version int)) {
	groups, _ := fs.ReadFile(root, "proc/self/cgroup")
	for line := range bytes.Lines(groups) {
		parts := bytes.SplitN(bytes.TrimSpace(line), []byte(":"), 3) // number:controllers:folder
		if len(parts) < 3 {
			continue
		}
		version, mounts := 2, []string{"", "unified"}
		if len(parts[1]) > 0 {
			if !slices.Contains(strings.Split(string(parts[1]), ","), controller) {
				continue
			}
			version, mounts = 1, []string{controller, string(parts[1])}
		}
		for dir := path.Clean("/" + string(parts[2])); ; dir = path.Dir(dir) {
			for _, mount := range mounts {
				visit(path.Join("sys/fs/cgroup", mount, dir), version)
			}
			if dir == "/" {
				break
			}
		}
	}
}
