// Skills as the shelf lists them: folders with a SKILL.md, where each is from, and what keeps others out.

/** Who provides a skill; what the skill lists of an agent match. A plugin's own have the plugin's id. */
export type SkillProvider = "workspace" | "user";

export interface SkillFile {
	/** Relative to the skill's folder, with `/`. */
	path: string;
	/** Bytes. */
	size: number;
	/** SHA-256 of its bytes. */
	hash: string;
}

export interface Skill {
	name: string;
	description: string;
	provider: SkillProvider;
	/** Its SKILL.md, absolute. */
	path: string;
	/** What stands below the frontmatter. */
	body: string;
	/** Every file of its folder, its SKILL.md included, sorted. */
	files: readonly SkillFile[];
	/** SHA-256 over names and hashes of all files: what an approval is of. */
	hash: string;
	/** The model may choose it by itself. */
	byModel: boolean;
	/** The person may call it by `/name`. */
	byPerson: boolean;
	/** What of it does not count, a sentence each. */
	notes: readonly string[];
}

/** A skill that cannot be used. It takes nothing else down. */
export interface BrokenSkill {
	/** Its folder's name. */
	label: string;
	provider: SkillProvider;
	/** Absolute. */
	path: string;
	problem: string;
}

/** A skill of the workspace that counts only once the person has approved exactly this content. */
export interface UnapprovedSkill extends Skill {
	/** What its SKILL.md says, whole. */
	text: string;
	/** Another content of it was approved before. */
	changed: boolean;
}

export interface SkillCatalog {
	/** Those that can be used: each name once, by name. */
	skills: readonly Skill[];
	waiting: readonly UnapprovedSkill[];
	broken: readonly BrokenSkill[];
}

/** All skills that are not a plugin's. */
export interface SkillLibrary {
	/** As of the last look. */
	now(): SkillCatalog;
	/** Looks at the disk again. Never rejects: what cannot be read is broken. */
	look(): Promise<SkillCatalog>;
	/** The bytes of one file of a usable skill as text. Throws ToolError where it has changed since, is none of its files or no text. */
	read(skill: Skill, file: string): Promise<string>;
	/**
	 * Lets a skill of the workspace count, as long as its content is the approved one. Rejects where it has changed. Only until
	 * this window closes where the person could not be shown all of it.
	 */
	approve(path: string, hash: string, shownWhole: boolean): Promise<void>;
	/** Takes such an approval back. */
	disapprove(path: string): Promise<void>;
	onChange(listener: () => void): { dispose(): void };
}

/** Content of the workspace that the person has approved, by absolute path. */
export interface ContentApprovals {
	/** The approved hash by path; nothing counts where it cannot be read. */
	list(workspace: string): Promise<ReadonlyMap<string, string>>;
	/** `undefined` takes it back. Rejects with StorageError. */
	set(workspace: string, path: string, hash: string | undefined): Promise<void>;
}
