// The machine: files, processes and search of the computer we run on. Knows nothing of any editor.
import type { BlobStore } from "../core/ports/sessions.ts";
import type { OpenBuffers, Workspace } from "../core/ports/workspace.ts";
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
	/** All folders of the workspace, where these are not all. */
	allFolders?: PlatformOptions["folders"];
	/** What grants are bound to. */
	identity(): string;
	/** Folder for the output of commands; made when it is needed. */
	outputFolder: string;
	blobs: BlobStore;
	/** Without them nothing can be kept in. */
	sandbox?: Omit<SandboxOptions, "folders" | "find" | "git">;
	/** What editors hold; absent where there are none. */
	buffers?: OpenBuffers;
	/** Moves a file to the trash; false where there is none. */
	moveToTrash?(path: string): Promise<boolean>;
	/** Milliseconds of silence after which output that ends like a prompt is taken for one; 8,000 when absent. */
	promptIdleTime?: number;
	/** Milliseconds that a command that only reads may take; 10 minutes when absent. */
	readOnlyTimeout?: number;
}

export interface Platform extends Omit<Workspace, "diagnostics" | "symbols"> {
	programs: Programs;
	sandbox: Sandbox | undefined;
	/** Texts for programs to read. */
	outputStore: OutputStore;
	/** Ends every process that still runs and removes the output that was kept. */
	dispose(): Promise<void>;
}

export function createPlatform(options: PlatformOptions): Platform {
	const { identity, blobs, buffers } = options;
	const folders = excludeRedirectedFolders(options.folders, (path) =>
		options.log?.(`${path} is left out: a link in the workspace leads there`),
	);
	const spill = createOutputStore(options.outputFolder);
	const files = createWorkspaceFiles(folders, buffers);
	const programs = createPrograms({ ...options, folders });
	const sandbox =
		options.sandbox &&
		createSandbox({ ...options.sandbox, folders: () => options.folders().map(({ path }) => path), ...toolsOf(programs) });
	const processes = createProcesses({
		outputStore: spill,
		programs,
		sandbox,
		promptIdleTime: options.promptIdleTime,
		readOnlyTimeout: options.readOnlyTimeout,
	});
	const keptPicture = keepForAMinute<WorkspaceSnapshot>();
	return {
		folders,
		identity,
		programs,
		sandbox,
		outputStore: spill,
		...files,
		...createFileWriter({ files, folders, buffers, blobs, moveToTrash: options.moveToTrash }),
		...createSearch({ folders, allFolders: options.allFolders, outputStore: spill, programs }),
		unsaved: (path) => buffers?.dirty(path) !== undefined,
		run: processes.run,
		output: processes.output,
		async watch() {
			const picture = await takeSnapshot(folders, programs, keptPicture.get());
			keptPicture.set(picture);
			return () => diffSnapshot(picture, folders, programs, files, blobs);
		},
		async commit() {
			const folder = folders()[0];
			return folder && readHeadCommit(folder.path);
		},
		async dispose() {
			keptPicture.clear();
			await processes.dispose();
			await spill.remove();
		},
	};
}

function toolsOf(programs: Programs): Pick<SandboxOptions, "find" | "git"> {
	return {
		find: async (name) => (name === "bash" ? programs.bashPath().catch(() => undefined) : programs.findOutsideWorkspace(name)),
		async git(folder, words) {
			const said = await programs.git(folder, words);
			return said?.code === 0 ? said.output : undefined;
		},
	};
}

/** Commands come in rows; between the rows the memory is wanted back. */
function keepForAMinute<T>() {
	let kept: T | undefined;
	let timer: NodeJS.Timeout | undefined;
	const clear = () => {
		kept = undefined;
		clearTimeout(timer);
	};
	return {
		get: () => kept,
		set(value: T) {
			clear();
			kept = value;
			timer = setTimeout(clear, 60_000).unref();
		},
		clear,
	};
}
