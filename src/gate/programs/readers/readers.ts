// Every program that only reads and prints, by its bare name.
import type { AssessorTable } from "../judgement.ts";
import { readOnlyAssessors } from "../table.ts";
import { awkPrograms } from "./awk.ts";
import { bytePrograms } from "./bytes.ts";
import { comparePrograms } from "./compare.ts";
import { gzipPrograms } from "./compressed.ts";
import { contentPrograms } from "./content.ts";
import { find } from "./find.ts";
import { jq } from "./jq.ts";
import { listingPrograms } from "./listing.ts";
import { utilityPrograms } from "./ownText.ts";
import { ps } from "./processes.ts";
import { searchPrograms } from "./search.ts";
import { sedPrograms } from "./sed.ts";
import { testPrograms } from "./testing.ts";
import { yq } from "./yq.ts";

/** Exported for the check against `--help`. */
export const readOnlyProgramTables = {
	...bytePrograms,
	...comparePrograms,
	...gzipPrograms,
	...contentPrograms,
	...listingPrograms,
	...utilityPrograms,
	...awkPrograms,
	...searchPrograms,
	...sedPrograms,
};

export const readOnlyPrograms: AssessorTable = { ...readOnlyAssessors(readOnlyProgramTables), ...testPrograms, find, jq, ps, yq };
