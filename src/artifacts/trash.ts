// What was deleted: kept under its time, and given back on request.
import { mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { ArtifactError, type ArtifactKind, type ArtifactSummary, type TrashedArtifact } from "../core/ports/artifacts.ts";
import { KINDS } from "./kinds.ts";
import { fallbackWhenMissing, readStored } from "./reader.ts";

const MOST = 500;

/** Moves something into the trash, which forgets what is oldest, and returns its file there. Call it under the lock. */
export async function moveToTrash(trash: string, kind: ArtifactKind, id: string, move: (target: string) => Promise<void>): Promise<string> {
	await mkdir(trash, { recursive: true, mode: 0o700 });
	const names = await namesIn(trash);
	let at = Date.now();
	const name = () => `${kind}.${id}.${at}${KINDS[kind].end}`;
	while (names.includes(name())) at += 1;
	const file = name();
	await move(join(trash, file));
	const oldest = names.sort((left, right) => timeOf(left) - timeOf(right)).slice(0, Math.max(0, names.length + 1 - MOST));
	for (const old of oldest) await rm(join(trash, old), { force: true });
	return file;
}

/** The latest first. */
export async function listTrash(trash: string): Promise<TrashedArtifact[]> {
	const names = (await namesIn(trash)).sort((left, right) => timeOf(right) - timeOf(left));
	const found = names.map(async (file) => {
		const { kind, id } = whatIs(file);
		const name = await readStored(kind, id, join(trash, file)).then(
			({ summary }) => summary.name,
			() => id,
		);
		return { file, kind, name, at: new Date(timeOf(file)).toISOString() };
	});
	return Promise.all(found);
}

/** Moves it to where `place` says, and returns what it is. Call it under the lock. */
export async function restoreFromTrash(
	trash: string,
	file: string,
	place: (found: ArtifactSummary) => Promise<string>,
): Promise<ArtifactSummary> {
	const gone = new ArtifactError("missing", `There is no ${file} in the trash.`);
	if (!NAME.test(file)) throw gone;
	const { kind, id } = whatIs(file);
	const stored = await readStored(kind, id, join(trash, file)).catch(fallbackWhenMissing(undefined));
	if (!stored) throw gone;
	await rename(join(trash, file), await place(stored.summary));
	return stored.summary;
}

const NAME = /^(note|list|view)\.([A-Za-z0-9_-]{1,64})\.(\d{10,16})\.(md|json)$/;

async function namesIn(trash: string): Promise<string[]> {
	return (await readdir(trash).catch(fallbackWhenMissing<string[]>([]))).filter((name) => NAME.test(name));
}

function whatIs(file: string): { kind: ArtifactKind; id: string } {
	const [, kind, id = ""] = NAME.exec(file) ?? [];
	return { kind: kind as ArtifactKind, id };
}

function timeOf(file: string): number {
	return Number(NAME.exec(file)?.[3]);
}
