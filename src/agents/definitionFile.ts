// Types of the files that define agents and task types, as read from disk.

/** A definition file's bytes, or why it could not be read. */
export type DefinitionFile = { path: string } & ({ bytes: Uint8Array } | { problem: string });

/** `subagent`: a task type. */
export type WorkspaceDefinitionFile = DefinitionFile & {
	format: "troupe" | "github" | "claude" | "subagent";
	/** SHA-256 of the bytes; "" if there are none. */
	hash: string;
	/** Approval state of this content. */
	state: "approved" | "changed" | "new";
	/** The previously approved text of a changed file. */
	approvedText?: string;
};
