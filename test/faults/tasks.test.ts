// Kills processes that run background tasks, and looks for lost, doubled and hanging ones.
import { describeKills } from "./killedHomes.ts";

describeKills({
	who: "background tasks",
	lives: [
		{ mode: "work", weight: 3, dies: "a process is killed while background tasks run" },
		{ mode: "stop", weight: 2, at: "stopping", within: 250, dies: "a process is killed while a person stops tasks and callers" },
		{ mode: "approve", weight: 2, at: "asked", dies: "a process is killed while tasks wait for a person" },
		{ mode: "copy", weight: 1, at: "copying", within: 250, dies: "a process is killed while a task's copy is made" },
		{ mode: "take", weight: 1, at: "taking", dies: "a process is killed while a task's changes are applied" },
		{ mode: "share", weight: 1, dies: "one of two windows is killed while background tasks run" },
	],
	keeps: "killed processes report each task's end once and leave no orphaned copy",
	worker: new URL("tasksWorker.program.mjs", import.meta.url),
});
