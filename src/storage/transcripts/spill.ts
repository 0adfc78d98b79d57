// Limits transcript lines to 64 KB: large values move to blobs and are restored when read.

import type { BlobRef, TranscriptEvent } from "../../core/events.ts";
import { isRecord } from "../../core/isRecord.ts";
import type { BlobStore } from "../../core/ports/sessions.ts";
import { parseJson, type StorageFileSystem } from "../fileSystem.ts";
import { readLines } from "./lines.ts";

/** Maximum bytes of a line, including its newline. */
const MAX_EVENT = 64 * 1024;
/** Characters of a spilled string that stay in the line. */
const HEAD = 2_048;

type Line = Record<string, unknown>;
/** JSON pointer → the blob that contains the JSON of that value. */
type Spilled = Record<string, BlobRef>;

/** Events in the file format. */
export async function serializeEvents(events: readonly TranscriptEvent[], blobs: BlobStore): Promise<string> {
	const lines: string[] = [];
	for (const event of events) lines.push(await spill(JSON.stringify(event), blobs));
	return lines.map((line) => `${line}\n`).join("");
}

/** The JSON of an event, with its largest values moved to blobs if necessary. Rejects with StorageError. */
export async function spill(json: string, blobs: BlobStore): Promise<string> {
	if (fits(json)) return json;
	const line = JSON.parse(json) as Line;
	const spilled: Spilled = {};
	const text = () => JSON.stringify({ ...line, spilled });

	for (const { pointer, value } of longStrings(line)) {
		spilled[pointer] = await keep(value, blobs);
		replace(line, pointer, head(value));
		if (fits(text())) return text();
	}
	const original = JSON.parse(json) as Line;
	const trees = Object.keys(original)
		.filter((name) => typeof original[name] === "object" && original[name] !== null)
		.map((name) => ({ name, size: JSON.stringify(original[name]).length }))
		.sort((a, b) => b.size - a.size);
	for (const { name } of trees) {
		const pointer = pointerOf([name]);
		for (const inner of Object.keys(spilled)) if (inner.startsWith(`${pointer}/`)) delete spilled[inner];
		spilled[pointer] = await keep(original[name], blobs);
		line[name] = null;
		if (fits(text())) break;
	}
	return text();
}

/**
 * Restores spilled values in place. A string whose blob is missing keeps its beginning and a note; any other value is dropped.
 * With `heads`, strings stay shortened, for callers that only count and quote.
 */
export async function restoreSpilled(line: Line, blobs: BlobStore, heads = false): Promise<void> {
	const spilled = line["spilled"];
	delete line["spilled"];
	if (!isRecord(spilled)) return;
	for (const [pointer, ref] of Object.entries(spilled)) {
		const stub = lookUp(line, pointer);
		if (stub === undefined || !isRecord(ref) || typeof ref["blob"] !== "string") continue;
		if (heads && typeof stub === "string") continue;
		const bytes = await blobs.get(ref["blob"]);
		const value = bytes && parseJson(Buffer.from(bytes).toString("utf8"));
		if (value !== undefined) replace(line, pointer, value);
		else if (typeof stub === "string") replace(line, pointer, `${stub}\n[The rest is missing: its file in blobs/ is gone or damaged.]`);
		else remove(line, pointer);
	}
}

/** The blobs of spilled values other than strings, which may reference further blobs. */
function listSpilledObjects(line: Line): string[] {
	const spilled = line["spilled"];
	if (!isRecord(spilled)) return [];
	return Object.entries(spilled).flatMap(([pointer, ref]) => {
		const isTree = lookUp(line, pointer) === null && isRecord(ref) && typeof ref["blob"] === "string";
		return isTree ? [ref["blob"] as string] : [];
	});
}

function fits(json: string): boolean {
	return json.length < MAX_EVENT && Buffer.byteLength(json) < MAX_EVENT;
}

async function keep(value: unknown, blobs: BlobStore): Promise<BlobRef> {
	const bytes = Buffer.from(JSON.stringify(value));
	return { blob: await blobs.put(bytes), size: bytes.byteLength, mime: "application/json" };
}

/** Strings worth spilling, longest first. */
function longStrings(line: Line): { pointer: string; value: string }[] {
	const found: { pointer: string; value: string }[] = [];
	const visit = (value: unknown, path: string[]): void => {
		if (typeof value === "string" && value.length > HEAD * 2) found.push({ pointer: pointerOf(path), value });
		if (typeof value !== "object" || value === null) return;
		for (const [name, inner] of Object.entries(value)) visit(inner, [...path, name]);
	};
	visit(line, []);
	return found.sort((a, b) => b.value.length - a.value.length);
}

function head(value: string): string {
	const last = value.charCodeAt(HEAD - 1);
	const splitsPair = last >= 0xd800 && last <= 0xdbff;
	return value.slice(0, splitsPair ? HEAD - 1 : HEAD);
}

function pointerOf(path: string[]): string {
	return path.map((name) => `/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The object or array with the value that a pointer names; own properties only. */
function holderOf(line: Line, pointer: string): { holder: Line; name: string } | undefined {
	const path = pointer
		.split("/")
		.slice(1)
		.map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
	const name = path.pop();
	let holder: unknown = line;
	for (const step of path) {
		if (typeof holder !== "object" || holder === null || !Object.hasOwn(holder, step)) return undefined;
		holder = (holder as Line)[step];
	}
	if (name === undefined || typeof holder !== "object" || holder === null || !Object.hasOwn(holder, name)) return undefined;
	return { holder: holder as Line, name };
}

function lookUp(line: Line, pointer: string): unknown {
	const place = holderOf(line, pointer);
	return place?.holder[place.name];
}

function replace(line: Line, pointer: string, value: unknown): void {
	const place = holderOf(line, pointer);
	// Uses defineProperty so that an own "__proto__" stays a plain field.
	if (place) Object.defineProperty(place.holder, place.name, { value, writable: true, enumerable: true, configurable: true });
}

function remove(line: Line, pointer: string): void {
	const place = holderOf(line, pointer);
	if (place) delete place.holder[place.name];
}

/** A reference in JSON; inside a string, its quotes would be escaped. */
const REFERENCE = /"blob"\s*:\s*"([0-9a-f]{64})"/g;

/** The hashes referenced in a file; `open` returns a blob's bytes, because spilled values may contain further references. */
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
