// Announces unreviewed workspace agents and skills once, and again only when approved ones change.
import * as vscode from "vscode";
import type { AgentRegistry } from "../../core/agent.ts";
import type { SkillLibrary } from "../../core/ports/skills.ts";
import { formatList, t } from "../../shared/l10n.ts";
import { showNotification } from "../dialogs.ts";

/** The parts of `vscode.Memento` that are needed. */
interface Memory {
	get(key: string): unknown;
	update(key: string, value: unknown): PromiseLike<void>;
}

interface Parts {
	registry: Pick<AgentRegistry, "catalog" | "onChange">;
	skills: Pick<SkillLibrary, "now" | "onChange">;
	workspace: Memory;
	/** Of the person, for every workspace. */
	everywhere: Memory;
	/** Milliseconds in which what is found is gathered into one message. */
	gather?: number;
}

interface Item {
	name: string;
	hash: string;
	changed: boolean;
	review: [command: string, target: object];
}

/** Hashes of what was announced here; its being there says that something was. */
const TOLD = "troupe.reviewTold";
const NEVER = "troupe.reviewNever";
const GATHER = 1_500;
const MOST = 200;
const NAMED = 5;

export function notifyReviewsNeeded({ registry, skills, workspace, everywhere, gather = GATHER }: Parts): vscode.Disposable {
	let timer: NodeJS.Timeout | undefined;
	const look = (): void => {
		timer ??= setTimeout(() => {
			timer = undefined;
			void tell();
		}, gather);
	};

	async function tell(): Promise<void> {
		if (everywhere.get(NEVER) === true) return;
		const known = workspace.get(TOLD);
		const told = Array.isArray(known) ? (known as unknown[]) : undefined;
		const agents = registry.catalog().waiting.map(
			({ label, hash, changed, source, definition }): Item => ({
				name: label,
				hash,
				changed,
				review: ["troupe.reviewAgent", { path: source.path, agentId: definition.agentId }],
			}),
		);
		const others = skills
			.now()
			.waiting.map(({ name, hash, changed, path }): Item => ({ name, hash, changed, review: ["troupe.reviewSkills", { path }] }));
		const isNews = ({ hash, changed }: Item): boolean => told === undefined || (changed && !told.includes(hash));
		const [newAgents, newSkills] = [agents.filter(isNews), others.filter(isNews)];
		const fresh = [...newAgents, ...newSkills];
		if (fresh.length === 0) return;
		await workspace.update(TOLD, [...(told ?? []), ...fresh.map(({ hash }) => hash)].slice(-MOST));
		const [review, never] = [t("Review"), t("Don't Ask Again")];
		const answer = await showNotification("info", sentence(newAgents, newSkills), review, never);
		if (answer === never) await everywhere.update(NEVER, true);
		if (answer === review) await vscode.commands.executeCommand(...reviewOf(newAgents, newSkills));
	}

	look();
	const ends = [registry.onChange(look), skills.onChange(look), { dispose: () => clearTimeout(timer) }];
	return {
		dispose() {
			for (const end of ends) end.dispose();
		},
	};
}

function sentence(agents: readonly Item[], skills: readonly Item[]): string {
	const names = namesOf([...agents, ...skills]);
	if (skills.length === 0) return t("This workspace contains agents that need your review: {0}.", names);
	if (agents.length === 0) return t("This workspace contains skills that need your review: {0}.", names);
	return t("This workspace contains agents and skills that need your review: {0}.", names);
}

function namesOf(items: readonly Item[]): string {
	const names = items.slice(0, NAMED).map(({ name }) => name);
	return formatList(items.length > NAMED ? [...names, t("{0} more", items.length - NAMED)] : names);
}

/** One thing opens at once; of several kinds the tree has a row each. */
function reviewOf(agents: readonly Item[], skills: readonly Item[]): [string, ...object[]] {
	const [only, ...rest] = [...agents, ...skills];
	if (only && rest.length === 0) return only.review;
	if (agents.length > 0 && skills.length > 0) return ["troupe.agents.focus"];
	return [agents.length > 0 ? "troupe.reviewAgent" : "troupe.reviewSkills"];
}
