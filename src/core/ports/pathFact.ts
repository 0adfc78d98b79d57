// A path of a call, as the gate judges it.

export type PathUse = "read" | "write" | "create" | "delete";

/** One path of a call, resolved. All paths are absolute and use `/`. */
export interface PathFacts {
	use: PathUse;
	/** As the model wrote it. */
	given: string;
	/** `given` resolved against its workspace folder, links not followed. */
	literal: string;
	/** Where it really leads: links of every existing ancestor followed. */
	real: string;
	/** Relative to its workspace folder, of the literal and the real path; absent when outside every folder. */
	literalInside?: string;
	realInside?: string;
	exists: boolean;
	/** A SKILL.md that we wrote ourselves: reading it never asks. */
	guide?: true;
	/** The whole path cannot be judged (control characters, link ring, a scheme …): the call is refused with this. */
	refused?: string;
	/** Number of names of the file on disk; more than one asks. */
	links?: number;
	/** What only the disk tells: a git folder under another name, protected places below a folder. Such a path asks. */
	guarded?: string;
	/** Set for writes of package.json: both versions parse and their `scripts` are equal. */
	scriptsUnchanged?: boolean;
	/** Set for writes of package.json whose scripts stay: something else in it changes that may decide what runs. */
	runsChanged?: true;
	/** Set for writes of JSON and its like: an address that the editor would fetch a schema from is new in it. */
	schemaChanged?: true;
}
