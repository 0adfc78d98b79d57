// The program that these suites start in a jail: one job as JSON on standard input, its answer as JSON on standard output.
import { answerJob } from "./answerJob.ts";

// Hundreds of jails only run a command: they load no gate.
await answerJob({
	approveEveryday: async (job) => (await import("./decide.ts")).approveEveryday(job),
	decide: async (job) => (await import("./decide.ts")).decide(job),
	meetMarks: async (job) => (await import("./meetMarks.ts")).meetMarks(job),
	runCase: async (job) => (await import("./runCase.ts")).runCase(job),
});
