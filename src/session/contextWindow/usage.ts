// Measures a session's context window usage and cost for the chat.

import type { TranscriptEvent } from "../../core/events.ts";
import type { ModelInfo } from "../../core/ports/model.ts";
import { toToolSpec } from "../../core/ports/tool.ts";
import type { ContextUsage } from "../../shared/protocol/chat.ts";
import { getAgent, getTurnRole, isAgentDefined } from "../agent/sessionAgent.ts";
import { computeOffer } from "../prompt/computeOffer.ts";
import type { SessionContext } from "../sessionContext.ts";
import type { Offer } from "../state/offer.ts";
import type { RequestOverhead } from "../state/tokenCounter.ts";

/** Event types that change the usage enough to send an update. */
export const USAGE_EVENT_TYPES: ReadonlySet<string> = new Set(["assistant", "status"]);

/** `info` is the model that would be used; defaults to the one used last. */
export function measureContextUsage(session: SessionContext, info: ModelInfo | undefined = session.context.model): ContextUsage {
	const { state, context } = session;
	context.model = info;
	return {
		...context.ledger.measure(state, measureRequestOverhead(session), info?.id),
		...(info?.window !== undefined && { window: info.window }),
		priced: info?.price !== undefined,
		turn: { ...state.turnUsage },
		session: { ...state.usage },
	};
}

/** Size of the session's current system prompt and tools. Without its agent, it can make no request. */
export function measureRequestOverhead(session: SessionContext): RequestOverhead {
	const { context, policy } = session;
	const offer = findOffer(session);
	if (!offer) return { system: Buffer.byteLength(context.system ?? ""), tools: 0 };
	const system = Buffer.byteLength(context.system ?? policy.prompt(offer.parts));
	return { system, tools: offer.described.reduce((sum, tool) => sum + specSize(tool), 0) };
}

/**
 * The offer of the running turn, or what a turn would be offered now; undefined without the agent. The message that a call sends has the
 * session's role.
 */
function findOffer(session: SessionContext): Offer | undefined {
	const { state, prompts, isRunning } = session;
	const running = isRunning ? prompts.offer : undefined;
	if (running && running.role.id === state.turn?.role) return running;
	if (!isAgentDefined(session)) return undefined;
	const role = getTurnRole(session);
	return running?.role.id === role.id ? running : computeOffer(session, role, getAgent(session, state.turn?.agent));
}

/** See `ModelContext`. */
export function estimateTokens(session: SessionContext, events: readonly TranscriptEvent[], whole = false): number {
	return session.context.ledger.sizeOf(events, whole ? measureRequestOverhead(session) : { system: 0, tools: 0 });
}

const sizes = new WeakMap<object, number>();

function specSize(tool: Parameters<typeof toToolSpec>[0]): number {
	const known = sizes.get(tool);
	if (known !== undefined) return known;
	const size = JSON.stringify(toToolSpec(tool)).length;
	sizes.set(tool, size);
	return size;
}
