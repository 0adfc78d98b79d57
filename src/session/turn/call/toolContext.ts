// Creates the context of a tool whose call the gate has allowed, and the limits that its calls pass on.

import type { Caller } from "../../../core/caller.ts";
import { effectiveApprovalMode, strictestMode } from "../../../core/grant.ts";
import type { CallFacts } from "../../../core/ports/gate.ts";
import type { DelegatedCall, FileAccessLog, Tool, ToolContext } from "../../../core/ports/tool.ts";
import type { RunOptions, RunResult } from "../../../core/ports/workspace/commands.ts";
import type { Workspace } from "../../../core/ports/workspace.ts";
import { intersectPermissions } from "../../../core/role.ts";
import { t } from "../../../shared/l10n.ts";
import { contentHash } from "../../../shared/node/hash.ts";
import { channelsOfTurn } from "../../agent/channelOf.ts";
import { listPeers } from "../../agent/peers.ts";
import { passedCeiling } from "../../agent/sessionAgent.ts";
import type { SessionPolicy } from "../../services.ts";
import type { TurnContext } from "../../turnContext.ts";
import { authorizeCall, findUncheckedUrl, listDestinations } from "./callFacts.ts";

/** Restrictions that confine commands of the call; without them, the commands have the user's own rights. */
export type CommandRestrictions = Pick<RunOptions, "confine" | "reads">;

export function createToolContext(
	turn: TurnContext,
	tool: Tool,
	call: string,
	facts: CallFacts,
	restrictions: CommandRestrictions = {},
	seen: FileAccessLog = turn.files,
): ToolContext {
	const { workspace, gate } = turn;
	const caller = turn.asCaller?.(call);
	return {
		workspace: Object.create(workspace, { run: { value: createRunner(turn, call, restrictions) } }) as Workspace,
		signal: turn.signal,
		call,
		...(caller && { caller }),
		peers: () => listPeers(turn, turn.services.tools),
		delegated: (to) => recordDelegation(turn, call, to),
		paths: new Map(facts.paths.map((path) => [path.given, path])),
		visible: gate.visible,
		allows: (capability) => gate.cut(turn.agent, { ...tool, capabilities: [capability] }) === undefined,
		seen,
		progress: (text) => turn.progress(call, text),
		permitUrl: (url) => permitRedirect(turn, tool, { call, allowed: facts.url, url }),
	};
}

/** Records the call with the limits of this turn, which the turn that a late answer begins gets too. */
async function recordDelegation(turn: TurnContext, call: string, to: DelegatedCall): Promise<void> {
	const { role, caller, state, record } = turn;
	const ceiling = intersectPermissions(role.permissions, turn.ceiling);
	const passes = passedCeiling(role, turn.passes ?? turn.ceiling);
	const channel = channelsOfTurn(state, state.turn?.id).at(-1);
	const more = { ...(role.ceiling && { passes }), ...(caller && { caller }), ...(channel && { channel }) };
	await record({ type: "delegated", call, ...to, ceiling, ...more });
}

/**
 * Adds the call's id. Stop ends a command, and so does losing the role that allowed it, also in the background. The command's
 * shell connection to the session closes when it ends.
 */
function createRunner(turn: TurnContext, call: string, restrictions: CommandRestrictions): Workspace["run"] {
	const { services, workspace, background, ongoing, disk } = turn;
	return async (command, given: RunOptions) => {
		const options = { ...given, ...restrictions, call, signal: AbortSignal.any([given.signal, background]) };
		if (!restrictions.reads) disk.forget();
		if (!restrictions.reads && options.background) disk.stop();
		const run = async (more: RunOptions): Promise<RunResult> => {
			let hasEnded = false;
			const onEnd = (ended: RunResult): void => {
				hasEnded = true;
				ongoing.delete(call);
				more.onEnd?.(ended);
			};
			const result = await workspace.run(command, { ...more, onEnd });
			if (result.running && !hasEnded) ongoing.set(call, command);
			// It took so long that it was moved to the background.
			if (!restrictions.reads && result.running) disk.stop();
			return result;
		};
		// Read-only commands get no connection for programs that call tools.
		const bridge = restrictions.reads ? undefined : await services.cliBridge?.open(turn, call);
		if (!bridge) return run(options);
		const { env, secrets, waited } = bridge;
		const onEnd = (result: RunResult): void => {
			bridge.close();
			options.onEnd?.(result);
		};
		try {
			const result = await run({ ...options, env, secrets, waited, onEnd });
			if (!result.running) bridge.close();
			return result;
		} catch (error) {
			bridge.close();
			throw error;
		}
	};
}

/**
 * A redirect within the origin that was allowed goes on, unless a rule says otherwise; another origin is decided as if it had
 * been asked for by itself, and the person is asked where that asks: nobody has named it, not even who named the first one.
 */
async function permitRedirect(
	turn: TurnContext,
	tool: Tool,
	hop: { call: string; allowed: string | undefined; url: string },
): Promise<boolean> {
	const { call, allowed, url } = hop;
	const same = allowed !== undefined && URL.canParse(url) && new URL(url).origin === new URL(allowed).origin;
	const { byPerson: _, ...others } = turn;
	const { decision, layer, reason, rule, grants } = await authorizeCall(same ? turn : others, tool, {
		paths: [],
		url,
		...(await findUncheckedUrl(turn.gate, url)),
	});
	if (decision !== "ask") return decision === "allow";
	if (same && (layer === "grants" || (layer === "mode" && rule !== "proxy"))) return true;
	const made = { name: tool.name, input: { url } };
	const answer = await turn.ask({
		call: { id: call, ...made },
		made,
		summary: t("Follow the redirect to {0}", url),
		reason,
		hash: contentHash(made),
		always: grants,
		destinations: listDestinations(turn.gate, tool, { url }),
		...(layer === "rules" && { rule }),
	});
	return answer?.allow === true;
}

type CallingTurn = Pick<TurnContext, "sessionId" | "agent" | "role" | "ceiling" | "passes" | "caller" | "budget"> & {
	policy: Pick<SessionPolicy, "settings">;
	state: Pick<TurnContext["state"], "approval">;
};

/** Creates the caller for an agent that is called with a call of this turn: the turn's permissions, and those of whoever called it. */
export function createCaller(context: CallingTurn, turn: string, call: string): Caller {
	const { sessionId, policy, state, agent, role, ceiling, passes = ceiling, caller, budget } = context;
	return {
		session: sessionId,
		turn,
		call,
		agent: agent.agentId,
		role: role.peerRole ?? role.id,
		ceiling: passedCeiling(role, passes),
		depth: (caller?.depth ?? 0) + 1,
		chain: [...(caller?.chain ?? []), agent.agentId],
		...(caller && { above: [...(caller.above ?? []), caller.session] }),
		...(budget && { budget }),
		approval: strictestMode(effectiveApprovalMode(state, policy.settings()), caller?.approval ?? "auto"),
	};
}
