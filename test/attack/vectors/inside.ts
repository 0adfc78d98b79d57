// The program that the suites start in a jail: one job as JSON on standard input, its answer as JSON on standard output.
import { decide } from "./decide.ts";
import { meetMarks } from "./meetMarks.ts";
import { runCase } from "./runCase.ts";

const jobs = { decide, meetMarks, runCase };

let input = "";
for await (const chunk of process.stdin) input += chunk;
const { kind, job } = JSON.parse(input) as { kind: keyof typeof jobs; job: never };
const answer = await jobs[kind](job);
await new Promise<void>((resolve) => {
	process.stdout.write(JSON.stringify(answer), () => resolve());
});
process.exit(0);
