// Reloads the agent registry when files, settings, folders or trust change, and reports unusable agents.
import * as vscode from "vscode";
import type { AgentCatalog, AgentRegistry } from "../../core/agent.ts";
import { t } from "../../shared/l10n.ts";
import { showNotification } from "../notifications.ts";
import { type AgentPlaces, watchAgentFolders } from "./agentFolders.ts";

interface WatchedRegistry extends Pick<AgentRegistry, "catalog" | "onChange"> {
	refresh(): Promise<void>;
}

interface AgentWatchOptions {
	registry: WatchedRegistry;
	places: AgentPlaces;
	onSettings(changed: () => void): vscode.Disposable;
	log: vscode.LogOutputChannel;
}

export function watchAgents({ registry, places, onSettings, log }: AgentWatchOptions): vscode.Disposable {
	const report = createProblemReporter(registry, log);
	report();
	const refreshSoon = debounced(() => void registry.refresh());
	const watched = watchAgentFolders(places, refreshSoon.call);
	refreshSoon.call();
	const ends = [
		registry.onChange(report),
		onSettings(() => void registry.refresh()),
		vscode.workspace.onDidGrantWorkspaceTrust(() => void registry.refresh()),
		vscode.workspace.onDidChangeWorkspaceFolders(() => {
			watched.restart();
			refreshSoon.call();
		}),
		watched,
		refreshSoon,
	];
	return {
		dispose() {
			for (const end of ends) end.dispose();
		},
	};
}

/** Milliseconds; saving a file fires several events, a checkout many. */
const DEBOUNCE = 50;

function debounced(act: () => void) {
	let timer: NodeJS.Timeout | undefined;
	return {
		call() {
			clearTimeout(timer);
			timer = setTimeout(act, DEBOUNCE);
		},
		dispose: () => clearTimeout(timer),
	};
}

/** Logs each problem once and shows one message for all new ones. */
function createProblemReporter(registry: WatchedRegistry, log: vscode.LogOutputChannel): () => void {
	let reported = new Set<string>();
	return () => {
		const { agents, broken }: AgentCatalog = registry.catalog();
		const notes = agents.flatMap(({ definition, notes: all }) => all.map((note) => `${definition.agentId}: ${note}`));
		const fresh = broken.filter(({ problem }) => !reported.has(problem));
		for (const line of [...notes.filter((note) => !reported.has(note)), ...fresh.map(({ problem }) => problem)]) log.warn(line);
		reported = new Set([...notes, ...broken.map(({ problem }) => problem)]);
		const [first] = fresh;
		if (!first) return;
		const text =
			fresh.length === 1
				? t("The agent “{0}” can't be used. {1}.", first.label, first.problem)
				: t("{0} agents can't be used. First problem: {1}.", fresh.length, first.problem);
		const manage = t("Manage Agents");
		void showNotification("warning", text, manage).then((answer) => {
			if (answer === manage) void vscode.commands.executeCommand("troupe.manageAgents");
		});
	};
}
