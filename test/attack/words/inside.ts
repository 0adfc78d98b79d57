// The program that this suite starts in a jail: one job as JSON on standard input, its answer as JSON on standard output.
import { answerJob } from "../vectors/answerJob.ts";
import { compare } from "./compare.ts";

await answerJob({ compare });
