// Types for the display of tool calls.

import type { CallView } from "../caller.ts";
import type { Permission } from "../role.ts";
import type { TaskView } from "../task.ts";
import type { FileChange } from "./fileChange.ts";

/** Display of a tool call. `figure` is shown at the right end of the call's line ("88 lines"). */
export type ToolView = { figure?: string } & (
	| { kind: "text" }
	| { kind: "file"; path: string; line?: number }
	/** `unshown`: part of it cannot be displayed, so it can only be approved once. */
	| { kind: "change"; changes: FileChange[]; unshown?: true }
	| CommandView
	| CallView
	| TaskView
	/** A denial: the gate layer that denied it, the permissions that were missing, and a role that would permit it, if any. */
	| { kind: "denied"; layer: string; lacks?: readonly Permission[]; offerRole?: string }
);

export interface CommandView {
	kind: "command";
	figure?: string;
	command: string;
	cwd: string;
	/** Absent while it runs in the background, or if it was killed. */
	exitCode?: number;
	signal?: string;
	/** Id for `read_command_output`. */
	output: string;
	background?: boolean;
	/** The user ran it in their own terminal. */
	byPerson?: true;
	/** Workspace files that differ after the command. */
	changed: FileChange[];
	/** It ran in a sandbox. `hindered`: that may be why it failed. `touched`: protected paths that it created or replaced. */
	sandbox?: { kind: "read" | "workspace"; hindered?: true; touched?: string[] };
}
