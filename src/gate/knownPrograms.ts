// Looks a command up among all known programs, git included.
import { assessGit } from "./git/git.ts";
import { createProgramLookup } from "./programs/lookup.ts";

export const { assessKnownProgram, mayRunOtherProgram } = createProgramLookup({ git: assessGit });
