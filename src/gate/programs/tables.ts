// All tables in one: which programs are known, and how each is judged.
import { assessGit } from "../git/git.ts";
import { builtins } from "./builtins.ts";
import type { Assessor, AssessorTable } from "./judgement.ts";
import { writingPrograms } from "./movers/movers.ts";
import { readOnlyPrograms } from "./readers/readers.ts";
import { wrapperScripts } from "./runners/buildTools.ts";
import { runners } from "./runners/runners.ts";

export { builtins };

export const programAssessors: AssessorTable = { ...readOnlyPrograms, ...writingPrograms, ...runners, git: assessGit };

/** Wrappers that projects bring along, by their file name. */
export const wrapperScriptsByName: Readonly<Record<string, Assessor | undefined>> = wrapperScripts;
