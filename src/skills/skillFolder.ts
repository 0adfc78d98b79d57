// Reads all files of a skill folder, within limits and without links that point outside.
import { constants, type Stats } from "node:fs";
import { lstat, open, readdir, realpath } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import type { BrokenSkill, Skill, SkillFile, SkillProvider } from "../core/ports/skills.ts";
import { t } from "../shared/l10n.ts";
import { sha256 } from "../shared/node/hash.ts";
import { reasonOf } from "../shared/reasonOf.ts";
import { decodeUtf8 } from "../shared/utf8.ts";
import { parseSkillText, toSingleLine } from "./frontmatter.ts";

/** Maximum bytes of SKILL.md. */
const TEXT_LIMIT = 64 * 1024;
const MOST_FILES = 200;
/** Maximum bytes of all files of a skill. */
const FOLDER_LIMIT = 8 * 1024 * 1024;
const DEEPEST = 8;
const MOST_KNOWN = 20_000;
/** Milliseconds. */
const SETTLED = 2_000;

/** File hashes by path. When a model reads a skill's file, its hash is verified again. */
export type FileHashCache = Map<string, { mark: string; file: Pick<SkillFile, "size" | "hash"> }>;

export type SkillFolderResult = { skill: Skill; text: string } | { broken: BrokenSkill };

/**
 * The hash covers all files, since SKILL.md may tell the model to read and run the others, so changing a script changes the
 * skill. Files too large to hash are rejected. `within`: the real folder that links must not leave.
 */
export async function readSkillFolder(
	folder: string,
	provider: SkillProvider,
	within: string | undefined,
	known: FileHashCache = new Map(),
	log?: (line: string) => void,
): Promise<SkillFolderResult> {
	const path = join(folder, "SKILL.md");
	const broken = (problem: string): SkillFolderResult => ({
		broken: { label: toSingleLine(basename(folder)) || "?", provider, path, problem },
	});
	try {
		const real = await realpath(folder);
		if (within !== undefined && !isBelow(real, within)) return broken(t("The link points outside the workspace."));
		const files: SkillFile[] = [];
		const problem = await gather({ root: real, within, files, known }, real, 0);
		if (problem !== undefined) return broken(problem);
		const own = files.find((file) => file.path === "SKILL.md");
		if (!own) return broken(t("SKILL.md is missing."));
		if (own.size > TEXT_LIMIT) return broken(t("SKILL.md is larger than {0} KB.", TEXT_LIMIT / 1024));
		const bytes = await readBounded(join(real, "SKILL.md"), TEXT_LIMIT);
		if (!bytes || sha256(bytes) !== own.hash) return broken(t("The skill changed while it was being read."));
		const text = decodeUtf8(bytes);
		if (text === undefined) return broken(t("SKILL.md is not UTF-8 text."));
		const read = await parseSkillText(text, basename(folder));
		if ("problem" in read) return broken(read.problem);
		return { skill: { ...read, provider, path, files, hash: hashOf(files) }, text };
	} catch (error) {
		return broken(t("Can't read the folder. {0}", toSingleLine(reasonOf(error, log))));
	}
}

/** Returns undefined if the file is longer than `limit` bytes or not a regular file. */
export async function readBounded(path: string, limit: number): Promise<Uint8Array | undefined> {
	// Opening a file that has become a pipe must not block.
	const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	try {
		const stat = await handle.stat();
		if (!stat.isFile() || stat.size > limit) return undefined;
		const buffer = Buffer.alloc(Math.min(limit, stat.size) + 1);
		let length = 0;
		for (;;) {
			const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
			length += bytesRead;
			if (bytesRead === 0 || length === buffer.length) break;
		}
		return length > stat.size ? undefined : buffer.subarray(0, length);
	} finally {
		await handle.close();
	}
}

export function isBelow(path: string, folder: string): boolean {
	const inside = relative(folder, path);
	return inside === "" || (inside !== ".." && !inside.startsWith(`..${sep}`) && !/^([a-zA-Z]:)?[\\/]/.test(inside));
}

function hashOf(files: readonly SkillFile[]): string {
	return sha256(JSON.stringify(files.map(({ path, hash }) => [path, hash])));
}

interface Gathering {
	root: string;
	within: string | undefined;
	files: SkillFile[];
	known: FileHashCache;
}

async function hashed(path: string, limit: number, { ino, size, mtimeMs, ctimeMs }: Stats, known: FileHashCache) {
	const mark = [ino, size, mtimeMs, ctimeMs].join(" ");
	const before = known.get(path);
	if (before?.mark === mark) return before.file;
	const bytes = await readBounded(path, limit);
	if (!bytes) return undefined;
	const file = { size: bytes.length, hash: sha256(bytes) };
	if (known.size >= MOST_KNOWN) known.clear();
	// A recently written file may change again within the resolution of its timestamps.
	if (Date.now() - Math.max(mtimeMs, ctimeMs) > SETTLED) known.set(path, { mark, file });
	return file;
}

/** Returns why the folder is rejected, if it is. */
async function gather(into: Gathering, folder: string, depth: number): Promise<string | undefined> {
	const { root, within, files, known } = into;
	if (depth > DEEPEST) return t("The folders are nested too deeply.");
	const names = (await readdir(folder)).sort((left, right) => (left < right ? -1 : 1));
	for (const name of names) {
		const path = join(folder, name);
		let stat = await lstat(path);
		const shown = relative(root, path).split(sep).join("/");
		if (stat.isSymbolicLink()) {
			const target = await realpath(path).catch(() => undefined);
			if (target === undefined || !isBelow(target, within ?? root))
				return t("{0} is a link to a location outside the skill folder or workspace.", toSingleLine(shown));
			stat = await lstat(target);
			if (stat.isDirectory()) return t("{0} is a link to a folder. Skills can link to files only.", toSingleLine(shown));
		}
		if (stat.isDirectory()) {
			const problem = await gather(into, path, depth + 1);
			if (problem !== undefined) return problem;
			continue;
		}
		if (!stat.isFile()) return t("{0} is not a regular file.", toSingleLine(shown));
		const left = FOLDER_LIMIT - files.reduce((sum, { size }) => sum + size, 0);
		const file = files.length < MOST_FILES && stat.size <= left ? await hashed(path, left, stat, known) : undefined;
		if (!file)
			return t(
				"The skill folder has more than {0} files or is larger than {1} MB, so an approval can't be verified.",
				MOST_FILES,
				FOLDER_LIMIT / 1024 / 1024,
			);
		files.push({ path: shown, ...file });
	}
	return undefined;
}
