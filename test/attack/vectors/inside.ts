// The program that these suites start in a jail: one job as JSON on standard input, its answer as JSON on standard output.
import { answerJob } from "./answerJob.ts";
import { approveEveryday, decide } from "./decide.ts";
import { meetMarks } from "./meetMarks.ts";
import { runCase } from "./runCase.ts";

await answerJob({ approveEveryday, decide, meetMarks, runCase });
