// The workspace as the editor has it: the machine's files and processes, with open editors, language services and terminals.

import { createHash } from "node:crypto";
import { join } from "node:path";
import * as vscode from "vscode";
import type { BlobStore } from "../core/ports/sessions.ts";
import type { MissingShellReason, RunOptions, RunResult, Workspace } from "../core/ports/workspace.ts";
import { createPlatform, type Platform, type PlatformOptions } from "../platform/platform.ts";
import { createCombinedWorkspace, createVirtualWorkspace } from "../platform/virtual/workspace.ts";
import type { CommandTerminals } from "../vscode/adapters/commandTerminals.ts";
import { getDiagnostics, openBuffers, searchSymbols } from "../vscode/adapters/languageServices.ts";
import { findBundledRipgrep } from "../vscode/adapters/ripgrep.ts";
import {
	createVirtualFileSystem,
	diskWorkspaceFolders,
	uriForPath,
	virtualWorkspaceFolders,
	workspaceFolders,
} from "../vscode/adapters/virtualFileSystem.ts";

interface Parts {
	storage: string;
	blobs: BlobStore;
	terminals: CommandTerminals;
	environment(): string[];
	/** The setting `troupe.shell`. */
	shell(): string;
	shellMissing(why: MissingShellReason): void;
	sandbox: NonNullable<PlatformOptions["sandbox"]>;
	log(line: string): void;
}

export interface EditorWorkspace extends Workspace, Pick<Platform, "programs" | "sandbox" | "dispose"> {
	/** Its folders on a disk of this machine. */
	diskFolders: Platform["folders"];
}

export function createEditorWorkspace({
	storage,
	blobs,
	terminals,
	environment,
	shell,
	shellMissing,
	sandbox,
	log,
}: Parts): EditorWorkspace {
	const machine = createPlatform({
		folders: diskWorkspaceFolders,
		allFolders: workspaceFolders,
		identity,
		outputFolder: join(storage, "output"),
		blobs,
		findRipgrep: async (find) => (await findBundledRipgrep()) ?? (await find("rg")),
		extraVariables: environment,
		shellSetting: shell,
		onShellMissing: shellMissing,
		sandbox,
		log,
		buffers: openBuffers,
		moveToTrash: trash,
	});
	const { programs, outputStore: spill } = machine;
	const virtual = createVirtualWorkspace({
		fs: createVirtualFileSystem(uriForPath),
		folders: virtualWorkspaceFolders,
		allFolders: workspaceFolders,
		identity,
		blobs,
		buffers: openBuffers,
		outputStore: spill,
		programs,
	});
	const workspace = createCombinedWorkspace(machine, virtual, workspaceFolders);
	return {
		...workspace,
		diskFolders: machine.folders,
		programs,
		sandbox: machine.sandbox,
		dispose: machine.dispose,
		run: (command, options) => shownRun(workspace.run, terminals, command, options),
		diagnostics: getDiagnostics,
		symbols: searchSymbols,
	};
}

/** Local disks have a trash, most others do not. */
async function trash(path: string): Promise<boolean> {
	return vscode.workspace.fs.delete(vscode.Uri.file(path), { useTrash: true }).then(
		() => true,
		() => false,
	);
}

function identity(): string {
	const uris = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString()).sort();
	return createHash("sha256").update(uris.join("\n")).digest("hex").slice(0, 32);
}

/** The command can be shown in a terminal; closing it or ctrl+C there stops the command. */
function shownRun(run: Workspace["run"], terminals: CommandTerminals, command: string, options: RunOptions): Promise<RunResult> {
	const stop = new AbortController();
	const terminal = terminals.start(options.call ?? command, command, () => stop.abort());
	return run(command, {
		...options,
		signal: AbortSignal.any([options.signal, stop.signal]),
		onOutput(chunk) {
			terminal.write(chunk);
			options.onOutput?.(chunk);
		},
		onEnd(result) {
			terminal.end(ending(result));
			options.onEnd?.(result);
		},
	});
}

function ending({ exitCode, signal, stopped }: RunResult): string {
	if (stopped) return `stopped: ${stopped}`;
	return exitCode === undefined ? `ended by ${signal ?? "a signal"}` : `exit code ${exitCode}`;
}
