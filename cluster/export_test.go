package cluster

import (
	"tiro/rundir"
)

// AnnouncementID returns the ID of an announcement.
var AnnouncementID = rundir.Checksum
