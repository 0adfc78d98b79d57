// The sessions of a window, as the tools of tasks need them.

import type { SessionSummary } from "../../core/events.ts";
import type { SessionDirectory } from "../delegation/directory.ts";
import type { Tasks } from "./tasks.ts";

export interface TaskDirectory extends SessionDirectory {
	readonly backgroundTasks: Tasks;
	/** The tasks of all sessions. */
	tasks(): Promise<SessionSummary[]>;
}
