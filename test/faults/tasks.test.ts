// Kills processes that run background tasks, and looks for lost, doubled and hanging ones.
import { describeKills } from "./killedHomes.ts";

describeKills({
	who: "agents with background tasks",
	lives: [
		{ mode: "work", weight: 3, dies: "die with tasks and their news in flight" },
		{ mode: "stop", weight: 2, at: "stopping", within: 250, dies: "die while a person stops tasks and callers" },
		{ mode: "approve", weight: 2, at: "asked", dies: "die while tasks wait for a person" },
		{ mode: "copy", weight: 1, at: "copying", within: 250, dies: "die while a copy of the workspace is made" },
		{ mode: "take", weight: 1, at: "taking", dies: "die while a task's changes are applied" },
		{ mode: "share", weight: 1, dies: "die in one of two windows, while the other goes on" },
	],
	keeps: "tell each task's end once, leave no copy without a task, and half apply nothing unsaid",
	worker: new URL("tasksWorker.program.mjs", import.meta.url),
});
