package cluster

// AnnouncementID returns the ID of an announcement.
var AnnouncementID = digestOf
