// Programs that run what a project defines: package managers, build tools, test runners, interpreters.
import type { AssessorTable } from "../judgement.ts";
import { buildTools } from "./buildTools.ts";
import { interpreters } from "./interpreters.ts";
import { packageManagers } from "./packageManagers.ts";
import { projectTools } from "./projectTools.ts";

export const runners: AssessorTable = { ...projectTools, ...buildTools, ...interpreters, ...packageManagers };
