// Kills processes in which agents call each other, and looks for lost or doubled messages.
import { describeKills } from "./killedHomes.ts";

describeKills({
	who: "agents that call each other",
	lives: [
		{ mode: "work", weight: 4, dies: "die with messages and calls in flight" },
		{ mode: "stop", weight: 3, at: "stopping", dies: "die while a person stops them and their calls" },
		{ mode: "approve", weight: 2, at: "asked", dies: "die while called agents wait for a person" },
		{ mode: "share", weight: 1, dies: "die in one of two windows, while the other goes on" },
	],
	keeps: "lose no message, deliver none twice, and bring each call's end to its caller once",
	worker: new URL("messagesWorker.program.mjs", import.meta.url),
});
