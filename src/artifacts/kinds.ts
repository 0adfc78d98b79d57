// How each kind of artifact lies on disk.
import { ArtifactError, type ArtifactKind, type ArtifactSummary } from "../core/ports/artifacts.ts";
import { type ArtifactList, parseList, parseView, printJson, printList, type SavedView } from "./list.ts";
import { type Note, parseNote, printNote } from "./note.ts";

export interface ArtifactBodies {
	note: Note;
	list: ArtifactList;
	view: SavedView;
}

interface Kind<Body> {
	folder: string;
	/** With its dot. */
	end: string;
	/** Bytes of one file. */
	most: number;
	/** Throws ArtifactProblem for what is damaged. */
	parse(file: string, id: string): Body;
	print(body: Body): string;
	/** What is listed of it. */
	told(body: Body): Pick<ArtifactSummary, "name" | "tags" | "items" | "query">;
}

const NOTE_BYTES = 256 * 1024;
const LIST_BYTES = 2 * 1024 * 1024;

export const KINDS: { [K in ArtifactKind]: Kind<ArtifactBodies[K]> } = {
	note: {
		folder: "notes",
		end: ".md",
		most: NOTE_BYTES,
		parse: parseNote,
		print: printNote,
		told: ({ name, tags }) => ({ name, tags }),
	},
	list: {
		folder: "lists",
		end: ".json",
		most: LIST_BYTES,
		parse: parseList,
		print: (list) => printList(list, LIST_BYTES),
		told: ({ name, tags, items }) => ({ name, tags, items: { total: items.length, done: items.filter(({ done }) => done).length } }),
	},
	view: {
		folder: "views",
		end: ".json",
		most: 16 * 1024,
		parse: parseView,
		print: printJson,
		told: ({ name, query }) => ({ name, tags: [], query }),
	},
};

/** Bytes as text; throws ArtifactProblem where they are none. */
export function decodeUtf8(bytes: Uint8Array): string {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		throw new ArtifactError("invalid", "it is not UTF-8 text");
	}
}

export function tooLarge(kind: ArtifactKind): ArtifactError {
	return new ArtifactError("large", `A ${kind} holds at most ${KINDS[kind].most / 1024} KB. Divide it`);
}
