// Every program that only reads and prints, by its bare name.
import type { JudgeTable } from "../judgement.ts";
import { judgesOf } from "../table.ts";
import { patterns } from "./awk.ts";
import { bytes } from "./bytes.ts";
import { compare } from "./compare.ts";
import { compressed } from "./compressed.ts";
import { content } from "./content.ts";
import { find } from "./find.ts";
import { jq } from "./jq.ts";
import { listing } from "./listing.ts";
import { ownText } from "./ownText.ts";
import { ps } from "./processes.ts";
import { search } from "./search.ts";
import { streams } from "./sed.ts";
import { testing } from "./testing.ts";
import { yq } from "./yq.ts";

/** Exported for the check against `--help`. */
export const readerTables = { ...bytes, ...compare, ...compressed, ...content, ...listing, ...ownText, ...patterns, ...search, ...streams };

export const readers: JudgeTable = { ...judgesOf(readerTables), ...testing, find, jq, ps, yq };
