// The skill port: skill folders with a SKILL.md, their sources, and the reasons that others are unusable.

/** Provider of a skill, as matched by an agent's skill lists. For a plugin's own skills, this is the plugin's id. */
export type SkillProvider = "workspace" | "user";

export interface SkillFile {
	/** Relative to the skill's folder, with `/`. */
	path: string;
	/** Bytes. */
	size: number;
	/** SHA-256 of the file's bytes. */
	hash: string;
}

export interface Skill {
	name: string;
	description: string;
	provider: SkillProvider;
	/** Absolute path of its SKILL.md. */
	path: string;
	/** The text below the front matter. */
	body: string;
	/** All files of its folder including SKILL.md, sorted. */
	files: readonly SkillFile[];
	/** SHA-256 of the names and hashes of all files, which an approval is bound to. */
	hash: string;
	/** The model may choose it on its own. */
	byModel: boolean;
	/** The user may call it as `/name`. */
	byPerson: boolean;
	/** Ignored parts of it, one sentence each. */
	notes: readonly string[];
}

/** A skill that cannot be used. Other skills are not affected. */
export interface BrokenSkill {
	/** Its folder's name. */
	label: string;
	provider: SkillProvider;
	/** Absolute. */
	path: string;
	problem: string;
}

/** A workspace skill that takes effect only after the user approves exactly this content. */
export interface UnapprovedSkill extends Skill {
	/** Complete content of its SKILL.md. */
	text: string;
	/** Different content was approved before. */
	changed: boolean;
}

export interface SkillCatalog {
	/** Usable skills, sorted by name; each name occurs once. */
	skills: readonly Skill[];
	waiting: readonly UnapprovedSkill[];
	broken: readonly BrokenSkill[];
}

/** All skills that do not belong to a plugin. */
export interface SkillLibrary {
	/** The catalog as of the last scan. */
	now(): SkillCatalog;
	/** Scans the disk again. Never rejects: unreadable skills are listed as broken. */
	look(): Promise<SkillCatalog>;
	/** Reads one file of a usable skill as text. Throws ToolError if it has changed, is not one of the skill's files, or is not text. */
	read(skill: Skill, file: string): Promise<string>;
	/**
	 * Enables a workspace skill for as long as its content matches `hash`. Rejects if it has changed. The approval lasts only until
	 * this window closes if the user could not be shown all of it.
	 */
	approve(path: string, hash: string, shownWhole: boolean): Promise<void>;
	/** Revokes that approval. */
	disapprove(path: string): Promise<void>;
	onChange(listener: () => void): { dispose(): void };
}

/** Workspace content that the user has approved, by absolute path. */
export interface ContentApprovals {
	/** The approved hash by path; empty if it cannot be read. */
	list(workspace: string): Promise<ReadonlyMap<string, string>>;
	/** `undefined` revokes the approval. Rejects with StorageError. */
	set(workspace: string, path: string, hash: string | undefined): Promise<void>;
}
