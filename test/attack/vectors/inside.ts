// Entry point of the jailed program for the shared attack suites.

// Takes one job as JSON on stdin and writes its answer as JSON on stdout.
import { answerJob } from "./answerJob.ts";

// Hundreds of jails only run a command: they load no gate.
await answerJob({
	approveEveryday: async (job) => (await import("./decide.ts")).approveEveryday(job),
	decide: async (job) => (await import("./decide.ts")).decide(job),
	meetMarks: async (job) => (await import("./meetMarks.ts")).meetMarks(job),
	runCase: async (job) => (await import("./runCase.ts")).runCase(job),
});
