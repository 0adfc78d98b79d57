// Creates the context that a tool receives once the gate has allowed its call.

import type { FileChange, ToolView } from "../../core/events.ts";
import type { FileAccessLog, Tool, ToolContext } from "../../core/ports/tool.ts";
import type { RunOptions, RunResult, Workspace } from "../../core/ports/workspace.ts";
import { t } from "../../shared/l10n.ts";
import { contentHash } from "../../shared/node/hash.ts";
import type { CallFacts, Services, TurnContext } from "../context.ts";
import { authorizeCall, findUncheckedUrl, listDestinations } from "./callFacts.ts";

/** How commands of the call are kept in: with nothing of it they have the person's own rights. */
export type CommandRestrictions = Pick<RunOptions, "confine" | "reads">;

export function createToolContext(
	turn: TurnContext,
	tool: Tool,
	call: string,
	facts: CallFacts,
	kept: CommandRestrictions = {},
	seen: FileAccessLog = turn.files,
): ToolContext {
	const { workspace, gate } = turn.services;
	return {
		workspace: Object.create(workspace, { run: { value: runner(turn, call, kept) } }) as Workspace,
		signal: turn.signal,
		call,
		paths: new Map(facts.paths.map((path) => [path.given, path])),
		visible: (path) => gate.visible(path),
		allows: (capability) => gate.cut(turn.agent, { ...tool, capabilities: [capability] }) === undefined,
		seen,
		progress: (text) => turn.progress(call, text),
		permitUrl: (url) => permitted(turn, tool, { call, allowed: facts.url, url }),
	};
}

/**
 * Names the call's terminal. Stop ends a command, and so does the loss of the role that allowed it, in the background too.
 * What it reaches of the session from a shell closes behind it.
 */
function runner(turn: TurnContext, call: string, kept: CommandRestrictions): Workspace["run"] {
	const { services, background, ongoing, disk } = turn;
	return async (command, given: RunOptions) => {
		const options = { ...given, ...kept, call, signal: AbortSignal.any([given.signal, background]) };
		if (!kept.reads) disk.forget();
		if (!kept.reads && options.background) disk.stop();
		const run = async (more: RunOptions): Promise<RunResult> => {
			let over = false;
			const onEnd = (ended: RunResult): void => {
				over = true;
				ongoing.delete(call);
				more.onEnd?.(ended);
			};
			const result = await services.workspace.run(command, { ...more, onEnd });
			if (result.running && !over) ongoing.set(call, command);
			// It took so long that it goes on in the background.
			if (!kept.reads && result.running) disk.stop();
			return result;
		};
		// What only reads has no use of programs that call tools.
		const door = kept.reads ? undefined : await services.door?.open(turn, call);
		if (!door) return run(options);
		const { env, secrets, waited } = door;
		const onEnd = (result: RunResult): void => {
			door.close();
			options.onEnd?.(result);
		};
		try {
			const result = await run({ ...options, env, secrets, waited, onEnd });
			if (!result.running) door.close();
			return result;
		} catch (error) {
			door.close();
			throw error;
		}
	};
}

/**
 * A redirect within the origin that was allowed goes on, unless a rule says otherwise; another origin is decided as if it had
 * been asked for by itself, and the person is asked where that asks.
 */
async function permitted(turn: TurnContext, tool: Tool, hop: { call: string; allowed: string | undefined; url: string }): Promise<boolean> {
	const { call, allowed, url } = hop;
	const { decision, layer, reason, rule, grants } = await authorizeCall(turn, tool, {
		paths: [],
		url,
		...(await findUncheckedUrl(turn.services.gate, url)),
	});
	if (decision !== "ask") return decision === "allow";
	const same = allowed !== undefined && URL.canParse(url) && new URL(url).origin === new URL(allowed).origin;
	if (same && (layer === "grants" || (layer === "mode" && rule !== "proxy"))) return true;
	const made = { name: tool.name, input: { url } };
	const answer = await turn.ask({
		call: { id: call, ...made },
		made,
		summary: t("Follow the redirect to {0}", url),
		reason,
		hash: contentHash(made),
		always: grants,
		meets: listDestinations(turn.services.gate, tool, { url }),
		...(layer === "rules" && { rule }),
	});
	return answer?.allow === true;
}

/** Stands where a secret was. */
export const REDACTED_VALUE = "[secret hidden by Troupe]";

/** Shorter values stand in half of all texts. */
const SHORTEST = 12;

/** What takes the secrets that are known now out of a text. */
export async function createRedactor({ hidden }: Pick<Services, "hidden">): Promise<(text: string) => string> {
	const known = (await hidden?.()) ?? [];
	// One that holds another goes first, or its rest would be left.
	const values = [...new Set(known)].filter(({ length }) => length >= SHORTEST).sort((left, right) => right.length - left.length);
	return (text) => values.reduce((left, value) => (left.includes(value) ? left.replaceAll(value, REDACTED_VALUE) : left), text);
}

export function redactView(view: ToolView, hide: (text: string) => string): ToolView {
	const shown = (change: FileChange): FileChange => ({ ...change, diff: hide(change.diff) });
	if (view.kind === "change") return { ...view, changes: view.changes.map(shown) };
	return view.kind === "command" ? { ...view, changed: view.changed.map(shown) } : view;
}

/** Why a call is refused that would write the blank where the secret was; undefined where it would not. */
export function redactedWriteReason({ edits, command, external, capabilities, plugin }: Tool, input: unknown): string | undefined {
	const writes = edits || command || external || (plugin !== "plan" && capabilities.some((capability) => capability.endsWith(".write")));
	if (!writes || !holdsBlank(input)) return undefined;
	return `“${REDACTED_VALUE}” stands for a secret that you are not shown: written down it would destroy it. Nothing ran. Leave the lines with the secret as they are, or ask the person.`;
}

function holdsBlank(value: unknown): boolean {
	if (typeof value === "string") return value.includes(REDACTED_VALUE);
	return typeof value === "object" && value !== null && Object.values(value).some(holdsBlank);
}
