// Measures a session's context window usage and cost for the chat.

import type { TranscriptEvent } from "../../core/events.ts";
import type { ModelInfo } from "../../core/ports/model.ts";
import { toToolSpec } from "../../core/ports/tool.ts";
import type { ContextUsage } from "../../shared/protocol/chat.ts";
import type { SessionContext } from "../context.ts";
import { computeOffer } from "../prompt/offer.ts";
import { getAgent, getTurnRole, isAgentDefined } from "../sessionAgent.ts";
import type { RequestOverhead } from "./tokenCounter.ts";

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

/** Size of the session's current system prompt and tools. */
export function measureRequestOverhead(session: SessionContext): RequestOverhead {
	const { state, context, services, prompts } = session;
	const agent = getAgent(session, state.turn?.agent);
	const offer = (session.isRunning && prompts.offer) || computeOffer(session, getTurnRole(session), agent);
	const system = Buffer.byteLength(context.system ?? services.prompt(offer.facts));
	const described = isAgentDefined(session) ? offer.described : [];
	return { system, tools: described.reduce((sum, tool) => sum + specSize(tool), 0) };
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
