// The registry of agents, wired: what it reads, what makes it read again, and what the person is told of it.
import { join } from "node:path";
import * as vscode from "vscode";
import type { LoadedAgentRegistry } from "../../agents/registry.ts";
import { createDiskAgentRegistry } from "../../compose/diskRegistry.ts";
import type { AgentCatalog } from "../../core/agent.ts";
import type { WorkspaceFolder } from "../../core/ports/workspace.ts";
import type { TroupeSettings } from "../../settings/settings.ts";
import { t } from "../../shared/l10n.ts";
import { AGENTS_FOLDER } from "../../storage/agents/preferences.ts";
import { makeFolder, nodeFileSystem } from "../../storage/fileSystem.ts";
import { showNotification } from "../dialogs.ts";
import { watchAgentFolders } from "./agentFolders.ts";

interface Around {
	/** The extension's global storage. */
	shared: string;
	settings: { now(): Pick<TroupeSettings, "agents" | "roles">; onChange(changed: () => void): vscode.Disposable };
	/** Of the workspace, local ones only. */
	folders(): readonly WorkspaceFolder[];
	log: vscode.LogOutputChannel;
}

export type EditorAgentRegistry = LoadedAgentRegistry & vscode.Disposable;

export async function createEditorAgentRegistry({ shared, settings, folders, log }: Around): Promise<EditorAgentRegistry> {
	const own = join(shared, AGENTS_FOLDER);
	await makeFolder(nodeFileSystem, own).catch((error: unknown) => log.warn(`${own}: ${String(error)}`));
	const registry = await createDiskAgentRegistry({
		globalStorage: shared,
		settings: settings.now,
		folders: () => folders().map(({ path }) => path),
		isTrusted: () => vscode.workspace.isTrusted,
		displayPath: (path) => vscode.workspace.asRelativePath(path),
		log: (line) => log.warn(line),
	});
	const tell = complaints(registry, log);
	tell();
	const soon = debounced(() => void registry.refresh());
	const watched = watchAgentFolders(own, () => folders().map(({ path }) => path), soon.call);
	soon.call();
	const ends = [
		registry.onChange(tell),
		settings.onChange(() => void registry.refresh()),
		vscode.workspace.onDidGrantWorkspaceTrust(() => void registry.refresh()),
		vscode.workspace.onDidChangeWorkspaceFolders(() => {
			watched.restart();
			soon.call();
		}),
		watched,
		soon,
	];
	return Object.assign(registry, {
		dispose() {
			for (const end of ends) end.dispose();
		},
	});
}

/** Milliseconds: saving a file is several events, and checking out a branch is many. */
const REST = 50;

function debounced(act: () => void) {
	let timer: NodeJS.Timeout | undefined;
	return {
		call() {
			clearTimeout(timer);
			timer = setTimeout(act, REST);
		},
		dispose: () => clearTimeout(timer),
	};
}

/** Each problem once: in the log, and one message for all that are new. */
function complaints(registry: LoadedAgentRegistry, log: vscode.LogOutputChannel): () => void {
	let told = new Set<string>();
	return () => {
		const { agents, broken }: AgentCatalog = registry.catalog();
		const notes = agents.flatMap(({ definition, notes: all }) => all.map((note) => `${definition.agentId}: ${note}`));
		const fresh = broken.filter(({ problem }) => !told.has(problem));
		for (const line of [...notes.filter((note) => !told.has(note)), ...fresh.map(({ problem }) => problem)]) log.warn(line);
		told = new Set([...notes, ...broken.map(({ problem }) => problem)]);
		const [first] = fresh;
		if (!first) return;
		const text =
			fresh.length === 1
				? t("The agent “{0}” cannot be used. {1}.", first.label, first.problem)
				: t("{0} agents cannot be used. The first: {1}.", fresh.length, first.problem);
		const manage = t("Manage Agents");
		void showNotification("warning", text, manage).then((answer) => {
			if (answer === manage) void vscode.commands.executeCommand("troupe.manageAgents");
		});
	};
}
