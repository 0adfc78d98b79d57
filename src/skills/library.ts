// Loads skills from their folders and reports usable, unapproved and broken ones.
import { readdir, realpath } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type {
	BrokenSkill,
	ContentApprovals,
	Skill,
	SkillCatalog,
	SkillLibrary,
	SkillProvider,
	UnapprovedSkill,
} from "../core/ports/skills.ts";
import { ToolError } from "../core/ports/tool.ts";
import { UserError } from "../core/userError.ts";
import { t } from "../shared/l10n.ts";
import { createListeners } from "../shared/listeners.ts";
import { sha256 } from "../shared/node/hash.ts";
import { reasonOf } from "../shared/reasonOf.ts";
import { decodeUtf8 } from "../shared/utf8.ts";
import { toSingleLine } from "./frontmatter.ts";
import { type FileHashCache, isBelow, readBounded, readSkillFolder } from "./skillFolder.ts";

interface SkillLibraryOptions {
	/** Absolute paths of the workspace folders. */
	workspace(): readonly string[];
	/** Folders of the user's own skills, in order of precedence. */
	user: readonly string[];
	/** Key of stored approvals. */
	identity(): string;
	approvals: ContentApprovals;
	log(line: string): void;
}

/** Skill folders in a workspace and in the home folder, in order of precedence. */
const WORKSPACE_FOLDERS = [".agents/skills", ".claude/skills", ".github/skills"];
export const USER_FOLDERS = [".agents/skills", ".copilot/skills", ".claude/skills"];

/** Maximum number of skills in a folder. */
const MOST_SKILLS = 100;
/** Maximum bytes of all skills in a folder. */
const ROOT_LIMIT = 64 * 1024 * 1024;
/** Maximum bytes of a file read by a model. */
const FILE_LIMIT = 256 * 1024;

/**
 * For equal names, the user's own skill takes precedence, then `.agents`, then the others, so that a repository cannot replace
 * the user's skills. An unapproved skill does not take precedence over any other.
 */
export function createSkillLibrary(options: SkillLibraryOptions): SkillLibrary {
	const { approvals, identity } = options;
	const listeners = createListeners<() => void>();
	let current: SkillCatalog = { skills: [], waiting: [], broken: [] };
	let looking: Promise<SkillCatalog> | undefined;
	const known: FileHashCache = new Map();
	/** Hashes approved until this window closes, by path. */
	const passing = new Map<string, string>();

	async function lookNow(): Promise<SkillCatalog> {
		const broken: BrokenSkill[] = [];
		const approved = await approvals.list(identity()).catch((error: unknown) => {
			options.log(`skills: the approvals could not be read, so no skill of the workspace counts: ${String(error)}`);
			return new Map<string, string>();
		});
		const waiting: UnapprovedSkill[] = [];
		const skills = new Map<string, Skill>();
		const take = (skill: Skill): void => {
			const other = skills.get(skill.name);
			if (!other) skills.set(skill.name, skill);
			else broken.push(shadowed(skill, other));
		};
		for (const root of options.user) {
			for (const found of await readRoot(root, "user", undefined, known, options.log)) {
				if ("broken" in found) broken.push(found.broken);
				else take(found.skill);
			}
		}
		for (const folder of options.workspace()) {
			const within = await realpath(folder).catch(() => folder);
			for (const place of WORKSPACE_FOLDERS) {
				for (const found of await readRoot(join(folder, place), "workspace", within, known, options.log)) {
					if ("broken" in found) broken.push(found.broken);
					else if ([approved, passing].some((hashes) => hashes.get(found.skill.path) === found.skill.hash)) take(found.skill);
					else
						waiting.push({ ...found.skill, text: found.text, changed: [approved, passing].some((hashes) => hashes.has(found.skill.path)) });
				}
			}
		}
		const sorted = [...skills.values()].sort((left, right) => (left.name < right.name ? -1 : 1));
		return { skills: sorted, waiting, broken };
	}

	async function look(): Promise<SkillCatalog> {
		looking ??= lookNow().finally(() => {
			looking = undefined;
		});
		const before = JSON.stringify(current);
		current = await looking;
		if (JSON.stringify(current) !== before) listeners.tell((listener) => listener());
		return current;
	}

	async function set(path: string, hash: string | undefined): Promise<void> {
		await approvals.set(identity(), path, hash);
		await looking;
		await look();
	}

	return {
		now: () => current,
		look,
		async read(skill, file) {
			const known = skill.files.find(({ path }) => path === file);
			if (!known) throw new ToolError(`The skill ${skill.name} has no file ${file}. Its files are in what use_skill returns for its name.`);
			const folder = await realpath(dirname(skill.path));
			const bytes = await readBounded(join(folder, file), FILE_LIMIT).catch(() => undefined);
			if (!bytes) throw new ToolError(`${file} of the skill ${skill.name} is too large or cannot be read. Do without it.`);
			if (sha256(bytes) !== known.hash)
				throw new ToolError(
					`${file} of the skill ${skill.name} has changed since it was looked at. Nothing was read. Call use_skill with its name again.`,
				);
			if (bytes.includes(0)) throw new ToolError(`${file} of the skill ${skill.name} is not text.`);
			const text = decodeUtf8(bytes);
			if (text === undefined) throw new ToolError(`${file} of the skill ${skill.name} is not UTF-8 text.`);
			return text;
		},
		async approve(path, hash, shownWhole) {
			await looking;
			const found = (await look()).waiting.find((waiting) => waiting.path === path);
			if (found?.hash !== hash)
				throw new UserError(t("The skill has changed since it was shown. Nothing was approved. Review the skill again."));
			if (shownWhole) return set(path, hash);
			passing.set(path, hash);
			await look();
		},
		disapprove(path) {
			passing.delete(path);
			return set(path, undefined);
		},
		onChange: listeners.add,
	};
}

function shadowed({ name, provider, path }: Skill, other: Skill): BrokenSkill {
	return { label: name, provider, path, problem: t("Another skill with this name takes precedence: {0}", other.path) };
}

async function readRoot(
	root: string,
	provider: SkillProvider,
	within: string | undefined,
	known: FileHashCache,
	log: SkillLibraryOptions["log"],
) {
	const brokenRoot = (problem: string) => [{ broken: { label: basename(dirname(root)), provider, path: root, problem } }];
	try {
		const real = await realpath(root).catch((error: NodeJS.ErrnoException) => {
			if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
			throw error;
		});
		if (real === undefined) return [];
		if (within !== undefined && !isBelow(real, within)) return brokenRoot(t("The link points outside the workspace."));
		const entries = (await readdir(root, { withFileTypes: true }))
			.filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith("."))
			.map(({ name }) => name)
			.sort();
		const found = [];
		let bytes = 0;
		for (const name of entries.slice(0, MOST_SKILLS)) {
			if (bytes > ROOT_LIMIT) break;
			const one = await readSkillFolder(join(root, name), provider, within, known, log);
			if ("skill" in one) bytes += one.skill.files.reduce((sum, { size }) => sum + size, 0);
			found.push(one);
		}
		const more = entries.length - found.length;
		if (more === 0) return found;
		const most = t(
			"{0} more skills were skipped. A folder can have up to {1} skills or {2} MB.",
			more,
			MOST_SKILLS,
			ROOT_LIMIT / 1024 / 1024,
		);
		return [...found, ...brokenRoot(most)];
	} catch (error) {
		return brokenRoot(t("Can't read the folder. {0}", toSingleLine(reasonOf(error, log))));
	}
}

interface ListedSkill {
	name: string;
	description: string;
}

/** Approximate bytes per token. */
const BYTES_OF_TOKEN = 3.6;
const SHARE = 0.02;
/** Assumed context window, in tokens. */
const UNKNOWN_WINDOW = 32_768;
/** Minimum bytes of a truncated description. */
const SHORTEST = 16;

/** Maximum bytes of the list for a context window in tokens. */
export function listingBudget(window = UNKNOWN_WINDOW): number {
	return Math.floor(window * SHARE * BYTES_OF_TOKEN);
}

/**
 * One line per skill, at most `budget` bytes: truncates the longest descriptions, then omits descriptions, then counts the
 * remaining names.
 */
export function formatSkillList(skills: readonly ListedSkill[], budget: number): string {
	const lines = (limit: number) => skills.map(({ name, description }) => `- ${name}: ${cut(description, limit)}`).join("\n");
	const fits = (text: string) => Buffer.byteLength(text) <= budget;
	const longest = Math.max(0, ...skills.map(({ description }) => Buffer.byteLength(description)));
	if (fits(lines(longest))) return lines(longest);
	if (fits(lines(SHORTEST))) {
		let [low, high] = [SHORTEST, longest];
		while (high - low > 1) {
			const middle = Math.floor((low + high) / 2);
			if (fits(lines(middle))) low = middle;
			else high = middle;
		}
		return lines(low);
	}
	for (let shown = skills.length; shown >= 0; shown -= 1) {
		const names = skills.slice(0, shown).map(({ name }) => `- ${name}`);
		const left = skills.length - shown;
		const text = left > 0 ? [...names, `(${left} more)`].join("\n") : names.join("\n");
		if (fits(text)) return text;
	}
	return "";
}

/** Truncates to `limit` bytes without splitting a character. */
function cut(text: string, limit: number): string {
	if (Buffer.byteLength(text) <= limit) return text;
	let [kept, bytes] = ["", Buffer.byteLength("…")];
	for (const character of text) {
		bytes += Buffer.byteLength(character);
		if (bytes > limit) break;
		kept += character;
	}
	return `${kept.trimEnd()}…`;
}
