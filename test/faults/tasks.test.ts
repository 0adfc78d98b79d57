// Kills processes with background tasks in flight, and looks for what is lost, doubled, or reads as running.
import { describeKills } from "./killedHomes.ts";

describeKills({
	who: "an agent with background tasks",
	dies: "dies with tasks that run, wait, ask and check",
	keeps: "loses nothing, hears nothing twice, and no task reads as running",
	worker: new URL("tasksWorker.program.mjs", import.meta.url),
});
