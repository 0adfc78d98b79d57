// Kills processes in which agents call each other, and looks for lost or doubled messages.
import { describeKills } from "./killedHomes.ts";

describeKills({
	who: "calls between agents",
	lives: [
		{ mode: "work", weight: 4, dies: "a process is killed while agents call each other" },
		{ mode: "stop", weight: 3, at: "stopping", dies: "a process is killed while a person stops calls" },
		{ mode: "approve", weight: 2, at: "asked", dies: "a process is killed while called agents wait for a person" },
		{ mode: "share", weight: 1, dies: "one of two windows is killed during calls between agents" },
	],
	keeps: "killed processes deliver each message and each call's end exactly once",
	worker: new URL("messagesWorker.program.mjs", import.meta.url),
});
