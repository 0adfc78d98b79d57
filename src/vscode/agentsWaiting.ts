// Says that definitions of the workspace wait for the person.
import * as vscode from "vscode";
import type { AgentRegistry } from "../core/agents.ts";
import { t } from "../l10n.ts";
import { notify } from "./dialogs.ts";

const TOLD = "troupe.agentsToReview";
/** Hashes that are remembered. */
const MOST = 500;

/** Says once for each content that a definition of the workspace waits. Nothing counts before the person has read it. */
export function tellOfWaiting(registry: AgentRegistry, memory: vscode.Memento): vscode.Disposable {
	const look = async (): Promise<void> => {
		const told = memory.get<string[]>(TOLD, []);
		const { waiting } = registry.catalog();
		const fresh = waiting.filter(({ hash }) => !told.includes(hash));
		if (fresh.length === 0) return;
		void memory.update(TOLD, [...told, ...fresh.map(({ hash }) => hash)].slice(-MOST));
		const text =
			waiting.length === 1
				? t("1 agent in this workspace waits for your review.")
				: t("{0} agents in this workspace wait for your review.", waiting.length);
		const review = t("Review");
		const [first] = fresh;
		const target = fresh.length === 1 && first ? { path: first.source.path } : {};
		if ((await notify("info", text, review)) === review) {
			await vscode.commands.executeCommand("troupe.reviewAgent", target);
		}
	};
	void look();
	return registry.onChange(() => void look());
}
