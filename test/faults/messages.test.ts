// Kills processes in which agents call each other, and looks for lost or doubled messages.
import { describeKills } from "./killedHomes.ts";

describeKills({
	who: "agents that call each other",
	dies: "die with messages and calls in flight",
	keeps: "lose no message, deliver none twice, and leave no call without a result",
	worker: new URL("messagesWorker.program.mjs", import.meta.url),
});
