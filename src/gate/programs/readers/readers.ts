// Every program that only reads and prints, by its bare name.
import type { JudgeTable } from "../judgement.ts";
import { judgesOf } from "../table.ts";
import { content } from "./content.ts";

export const readers: JudgeTable = judgesOf({ ...content });
