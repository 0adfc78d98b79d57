// Entry point of the jailed program for the command-line comparison.

// Takes one job as JSON on stdin and writes its answer as JSON on stdout.
import { answerJob } from "../vectors/answerJob.ts";
import { compare } from "./compare.ts";

await answerJob({ compare });
