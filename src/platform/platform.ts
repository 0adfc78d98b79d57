// The local platform: files, processes and search. Independent of any editor.
import type { BlobStore } from "../core/ports/sessions.ts";
import type { OpenBuffers } from "../core/ports/workspace/editor.ts";
import type { WorkspaceFolder } from "../core/ports/workspace/files.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import { createWorkspaceFiles } from "./files/files.ts";
import { createFileWriter } from "./files/fileWriter.ts";
import { excludeRedirectedFolders } from "./files/safeOpen.ts";
import { diffSnapshot, takeSnapshot, type WorkspaceSnapshot } from "./files/workspaceDiff.ts";
import { readHeadCommit } from "./git/gitChanges.ts";
import { createOutputStore, type OutputStore } from "./processes/outputStore.ts";
import { createProcesses } from "./processes/processes.ts";
import { createPrograms, type Programs, type ProgramsOptions } from "./programs/programs.ts";
import { createSandbox, type Sandbox, type SandboxOptions } from "./sandbox/sandbox.ts";
import { createSearch } from "./search/search.ts";

export interface PlatformOptions extends ProgramsOptions {
	/** All workspace folders, if `folders` is only a part of them. */
	allFolders?: PlatformOptions["folders"];
	/** Further folders whose programs are not trusted: those that the workspace is a copy of. */
	originalFolders?: readonly WorkspaceFolder[];
	/** Id of the workspace that approvals are bound to. */
	identity(): string;
	/** Folder for the output of commands, created on demand. */
	outputFolder: string;
	blobs: BlobStore;
	/** Without these options, commands can't be sandboxed. */
	sandbox?: Omit<SandboxOptions, "folders" | "find" | "git">;
	/** Editor buffers; absent without an editor. */
	buffers?: OpenBuffers;
	/** Moves a file to the trash; false if there is none. */
	moveToTrash?(path: string): Promise<boolean>;
	/** Milliseconds of silence after which prompt-like output counts as a prompt; 8,000 if absent. */
	promptIdleTime?: number;
	/** Milliseconds in which a command that starts in the background is waited for. */
	backgroundGrace?: number;
	/** Time limit of read-only commands in milliseconds; 10 minutes if absent. */
	readOnlyTimeout?: number;
}

export interface Platform extends Omit<Workspace, "diagnostics" | "symbols"> {
	programs: Programs;
	sandbox: Sandbox | undefined;
	/** Temporary text files for programs to read. */
	outputStore: OutputStore;
	/** Ends all running processes and removes stored output. */
	dispose(): Promise<void>;
}

export function createPlatform(options: PlatformOptions): Platform {
	const { identity, blobs, buffers } = options;
	const folders = excludeRedirectedFolders(options.folders, (path) =>
		options.log?.(`${path} is left out: a link in the workspace leads there`),
	);
	const outputStore = createOutputStore(options.outputFolder);
	const files = createWorkspaceFiles(folders, buffers);
	const programs = createPrograms({ ...options, folders: () => [...folders(), ...(options.originalFolders ?? [])] });
	const sandbox =
		options.sandbox &&
		createSandbox({ ...options.sandbox, folders: () => options.folders().map(({ path }) => path), ...toolsOf(programs) });
	const processes = createProcesses({
		outputStore: outputStore,
		programs,
		sandbox,
		promptIdleTime: options.promptIdleTime,
		backgroundGrace: options.backgroundGrace,
		readOnlyTimeout: options.readOnlyTimeout,
	});
	const cachedSnapshot = keepForAMinute<WorkspaceSnapshot>();
	return {
		folders,
		identity,
		programs,
		sandbox,
		outputStore: outputStore,
		...files,
		...createFileWriter({ files, folders, buffers, blobs, moveToTrash: options.moveToTrash, log: options.log }),
		...createSearch({ folders, allFolders: options.allFolders, outputStore: outputStore, programs }),
		unsaved: (path) => buffers?.dirty(path) !== undefined,
		run: processes.run,
		output: processes.output,
		async watch() {
			const snapshot = await takeSnapshot(folders, programs, cachedSnapshot.get());
			cachedSnapshot.set(snapshot);
			return () => diffSnapshot(snapshot, folders, programs, files, blobs);
		},
		async commit() {
			const folder = folders()[0];
			return folder && readHeadCommit(folder.path);
		},
		async dispose() {
			cachedSnapshot.clear();
			await processes.dispose();
			await outputStore.remove();
		},
	};
}

function toolsOf(programs: Programs): Pick<SandboxOptions, "find" | "git"> {
	return {
		find: async (name) => (name === "bash" ? programs.bashPath().catch(() => undefined) : programs.findOutsideWorkspace(name)),
		async git(folder, args) {
			const result = await programs.git(folder, args);
			return result?.code === 0 ? result.output : undefined;
		},
	};
}

/** Commands often follow each other; memory is released a minute after the last one. */
function keepForAMinute<T>() {
	let cached: T | undefined;
	let timer: NodeJS.Timeout | undefined;
	const clear = () => {
		cached = undefined;
		clearTimeout(timer);
	};
	return {
		get: () => cached,
		set(value: T) {
			clear();
			cached = value;
			timer = setTimeout(clear, 60_000).unref();
		},
		clear,
	};
}
