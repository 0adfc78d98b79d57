// What the chat shows of a session's window and of its cost.
import type { ModelInfo } from "../../core/ports/model.ts";
import { specOf } from "../../core/toolSpec.ts";
import type { ContextUse } from "../../shared/protocol/chat.ts";
import type { SessionContext } from "../context.ts";
import { plainParts } from "../prompt/sessionPrompt.ts";
import { agentOf, toldTools, turnRole } from "../sessionAgent.ts";
import type { Frame } from "./tokenCount.ts";

/** Events after which the meter reads differently enough to be sent. */
export const METERED: ReadonlySet<string> = new Set(["assistant", "status"]);

/** `info`: of the model that would be asked; the one that was asked last when absent. */
export function contextOf(session: SessionContext, info: ModelInfo | undefined = session.context.model): ContextUse {
	const { state, context } = session;
	context.model = info;
	return {
		...context.ledger.measure(state, frameOf(session), info?.id),
		...(info?.window !== undefined && { window: info.window }),
		priced: info?.price !== undefined,
		turn: { ...state.turnUsage },
		session: { ...state.usage },
	};
}

/** System prompt and tools as the session has them now. */
export function frameOf(session: SessionContext): Frame {
	const role = turnRole(session);
	const agent = agentOf(session, session.state.turn?.agent);
	const system = Buffer.byteLength(session.context.system ?? session.services.prompt(plainParts(session, agent, role)));
	const tools = toldTools(session).reduce((sum, tool) => sum + specSize(tool), 0);
	return { system, tools };
}

const sizes = new WeakMap<object, number>();

function specSize(tool: Parameters<typeof specOf>[0]): number {
	const known = sizes.get(tool);
	if (known !== undefined) return known;
	const size = JSON.stringify(specOf(tool)).length;
	sizes.set(tool, size);
	return size;
}
