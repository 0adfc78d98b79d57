// All tables in one: which programs are known, and how each is judged.
import { judgeGit } from "../git/git.ts";
import { builtins } from "./builtins.ts";
import type { Judge, JudgeTable } from "./judgement.ts";
import { movers } from "./movers/movers.ts";
import { readers } from "./readers/readers.ts";
import { wrappers } from "./runners/buildTools.ts";
import { runners } from "./runners/runners.ts";

export { builtins };

export const tables: JudgeTable = { ...readers, ...movers, ...runners, git: judgeGit };

/** Wrappers that projects bring along, by their file name. */
export const scriptsByPath: Readonly<Record<string, Judge | undefined>> = wrappers;
