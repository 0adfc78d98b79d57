// Which blobs a transcript names: as what was spilled, as the bytes before a change, as an image.
import { isRecord, parseJson, type StorageFileSystem } from "../files.ts";
import { readLines } from "./lines.ts";
import { listSpilledObjects } from "./spill.ts";

/** A reference as JSON has it; quoted in a text its quotes would be escaped. */
const REFERENCE = /"blob"\s*:\s*"([0-9a-f]{64})"/g;

/** The hashes in a file of lines; `open` gets the bytes of a blob, for what a part of an event that was spilled names in turn. */
export async function* readBlobReferences(
	files: StorageFileSystem,
	path: string,
	open: (hash: string) => Promise<Uint8Array | undefined>,
): AsyncGenerator<string> {
	for await (const { lines } of readLines(files, path)) {
		for (const line of lines) {
			if (!line?.includes('"blob"')) continue;
			const text = line.toString("latin1");
			yield* findBlobReferences(text);
			if (!text.includes('"spilled"')) continue;
			const event = parseJson(line.toString("utf8"));
			for (const hash of isRecord(event) ? listSpilledObjects(event) : []) {
				const bytes = await open(hash);
				if (bytes) yield* findBlobReferences(Buffer.from(bytes).toString("latin1"));
			}
		}
	}
}

export function findBlobReferences(text: string): string[] {
	return [...text.matchAll(REFERENCE)].map((match) => match[1] as string);
}
