// The program that this suite starts in a jail, and the thread that it measures there.
import { isMainThread } from "node:worker_threads";
import { answerJob } from "../vectors/answerJob.ts";
import { measureHeld } from "./held.ts";
import { serveThread } from "./thread.ts";

await (isMainThread ? answerJob({ measureHeld }) : serveThread());
