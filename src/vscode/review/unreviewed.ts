// The note in the workspace's state that something is left to review: the next window shows it without being asked.
export const UNREVIEWED_CHANGES_KEY = "troupe.unreviewed";
