// Ports for the prompt's sources: open editors, artifacts, instruction files, and the user's setting for them.
import type { ArtifactGroup, Instruction, OpenEditor } from "../prompt.ts";
import type { Disk, WorkspaceFolder } from "./workspace/files.ts";

/** Sources of the prompt parts. */
export interface PromptSources {
	artifacts(): Promise<readonly ArtifactGroup[]>;
	panels(): readonly OpenEditor[];
	/** Setting that decides whether messages include what the user is viewing. */
	context: EditorContextSetting;
	/** Reads the instructions in the files that the session works on. */
	instructions(files: InstructionFiles): Promise<readonly Instruction[]>;
	/** Paths and first lines of memory, as a note for a message; undefined if there are none. */
	memory?(): Promise<string | undefined>;
}

export interface InstructionFiles {
	folders(): readonly WorkspaceFolder[];
	disk: Pick<Disk, "lstat" | "realpath" | "peek">;
	/** Returns true if a path may be read without approval: inside the workspace, not protected, and not a hard link. */
	visible(path: string): Promise<boolean>;
}

/** The user's setting for the context line of their messages. */
export interface EditorContextSetting {
	on(): boolean;
	turn(on: boolean): Promise<void>;
	/** The preferred answer style for the line's `mode`: "brief". Undefined if the user has no preference. */
	mode(): string | undefined;
	/** Fires when the setting or the line's content changes. */
	onChange(listener: () => void): { dispose(): void };
}
