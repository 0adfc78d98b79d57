// Announces unreviewed workspace agents and skills once, and again only when approved ones change.
import * as vscode from "vscode";
import type { AgentRegistry } from "../../core/agent.ts";
import type { SkillLibrary } from "../../core/ports/skills.ts";
import { formatList, t } from "../../shared/l10n.ts";
import { showNotification } from "../notifications.ts";

/** The parts of `vscode.Memento` used here. */
interface Memory {
	get(key: string): unknown;
	update(key: string, value: unknown): PromiseLike<void>;
}

interface Parts {
	registry: Pick<AgentRegistry, "catalog" | "onChange">;
	skills: Pick<SkillLibrary, "now" | "onChange">;
	workspace: Memory;
	/** The user's state for all workspaces. */
	everywhere: Memory;
	/** Milliseconds to collect changes into one message. */
	gather?: number;
}

interface Item {
	name: string;
	hash: string;
	changed: boolean;
	review: [command: string, target: object];
}

/** Hashes announced in this workspace; undefined until the first announcement. */
const ANNOUNCED_KEY = "troupe.reviewTold";
const NEVER_KEY = "troupe.reviewNever";
const GATHER_DELAY = 1_500;
const MAX_HASHES = 200;
const MAX_NAMES = 5;

export function notifyReviewsNeeded({ registry, skills, workspace, everywhere, gather = GATHER_DELAY }: Parts): vscode.Disposable {
	let timer: NodeJS.Timeout | undefined;
	const schedule = (): void => {
		timer ??= setTimeout(() => {
			timer = undefined;
			void announce();
		}, gather);
	};

	async function announce(): Promise<void> {
		if (everywhere.get(NEVER_KEY) === true) return;
		const stored = workspace.get(ANNOUNCED_KEY);
		const announced = Array.isArray(stored) ? (stored as unknown[]) : undefined;
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
		const isUnannounced = ({ hash, changed }: Item): boolean => announced === undefined || (changed && !announced.includes(hash));
		const [newAgents, newSkills] = [agents.filter(isUnannounced), others.filter(isUnannounced)];
		const fresh = [...newAgents, ...newSkills];
		if (fresh.length === 0) return;
		await workspace.update(ANNOUNCED_KEY, [...(announced ?? []), ...fresh.map(({ hash }) => hash)].slice(-MAX_HASHES));
		const [review, never] = [t("Review"), t("Don't Ask Again")];
		const answer = await showNotification("info", sentence(newAgents, newSkills), review, never);
		if (answer === never) await everywhere.update(NEVER_KEY, true);
		if (answer === review) await vscode.commands.executeCommand(...reviewOf(newAgents, newSkills));
	}

	schedule();
	const ends = [registry.onChange(schedule), skills.onChange(schedule), { dispose: () => clearTimeout(timer) }];
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
	const names = items.slice(0, MAX_NAMES).map(({ name }) => name);
	return formatList(items.length > MAX_NAMES ? [...names, t("{0} more", items.length - MAX_NAMES)] : names);
}

/** A single item opens directly; if both kinds are present, the tree is shown. */
function reviewOf(agents: readonly Item[], skills: readonly Item[]): [string, ...object[]] {
	const [only, ...rest] = [...agents, ...skills];
	if (only && rest.length === 0) return only.review;
	if (agents.length > 0 && skills.length > 0) return ["troupe.agents.focus"];
	return [agents.length > 0 ? "troupe.reviewAgent" : "troupe.reviewSkills"];
}
