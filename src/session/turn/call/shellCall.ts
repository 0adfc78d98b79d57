// Runs a tool call from a shell like any other call of its turn, and records it.

import type { ResultStatus, ShellToolCall } from "../../../core/events.ts";
import { toOneLine } from "../../../core/hiddenText.ts";
import { ToolError } from "../../../core/ports/tool.ts";
import { t } from "../../../shared/l10n.ts";
import { contentHash } from "../../../shared/node/hash.ts";
import { findTool, getAgent, isAgentDefined } from "../../agent/sessionAgent.ts";
import type { CallingCommand, ShellCall, ShellCallResult } from "../../services.ts";
import { LoopGuard } from "../../state/loopGuard.ts";
import type { TurnContext } from "../../turnContext.ts";
import { runToolCall } from "./run.ts";

/** Maximum characters of an input that can be shown for approval. */
const MAX_SHOWN = 65_536;
const TOO_LONG = "The arguments are longer than a person can be shown, and this call asks them. Nothing ran; send less at a time.";
/** Maximum characters of input and output that are recorded. */
const MAX_RECORDED = 2_000;
const SUMMARY = 200;

/** A call of a program that a command of this turn runs. `disconnected`: the program is gone. */
export async function runShellCall(
	turn: TurnContext,
	command: CallingCommand,
	request: ShellCall,
	disconnected: AbortSignal,
): Promise<ShellCallResult> {
	const { call } = command;
	const expired = expiredReason(turn);
	if (expired !== undefined) return { status: "denied", output: `Refused: ${expired}` };
	const id = `${call}/${++command.made}`;
	const signal = AbortSignal.any([turn.signal, turn.background, disconnected]);
	const inner: TurnContext = {
		...turn,
		shell: request.plugin,
		signal,
		// A loop within a script is not the model's; if the model starts the script repeatedly, its own loop guard detects that.
		loopGuard: new LoopGuard(),
		// After the turn's end, nobody watches for approval requests.
		canAsk: turn.canAsk && turn.runs(),
		progress: (_, text) => turn.progress(call, text),
		callFromShell: (...nested) => runShellCall(inner, ...nested),
		async ask(approval) {
			if (JSON.stringify(request.input).length > MAX_SHOWN) throw new ToolError(TOO_LONG);
			command.waits(true);
			try {
				// The request belongs to the command, since the model made no other call. Its subject may not appear in the command line at
				// all.
				const { name, input } = approval.call;
				return await turn.ask({ ...approval, call: { ...approval.call, id: call }, made: { name, input } }, signal);
			} finally {
				command.waits(false);
			}
		},
	};
	const { result, events } = await runToolCall(inner, { id, name: request.tool, input: request.input });
	const { status } = result;
	// A shell can only receive text.
	const output = result.images ? `${result.output}\n[${result.images.length} image(s) left out: a shell cannot show them]` : result.output;
	await turn.record({
		type: "status",
		level: "info",
		text: statusText(summaryOf(inner, request), status),
		used: toShellToolCall(call, request, status, output),
	});
	for (const event of events) await turn.record(event);
	return { status, output };
}

/** A background command may outlive its turn, but not a change of role or agent. */
function expiredReason(turn: TurnContext): string | undefined {
	if (turn.signal.aborted || turn.background.aborted) return "the turn that ran this command was stopped.";
	if (turn.runs()) return undefined;
	const { state, services, policy, sessionId } = turn;
	const session = { sessionId, services, policy, state };
	const unchanged =
		state.role === turn.role.id && state.agent === turn.agent.agentId && isAgentDefined(session) && state.turn === undefined;
	if (!unchanged) return "this command belongs to a turn that has ended, and the session has moved on since.";
	return contentHash(getAgent(session)) === contentHash(turn.agent)
		? undefined
		: "the agent's definition has changed since this command was started.";
}

function statusText(summary: string, status: ResultStatus): string {
	if (status === "ok") return t("From a shell: {0}", summary);
	if (status === "denied") return t("From a shell (denied): {0}", summary);
	if (status === "cancelled") return t("From a shell (stopped): {0}", summary);
	return t("From a shell (failed): {0}", summary);
}

/** The tool's summary of the call, or the tool's name if the arguments are invalid. One short line. */
function summaryOf(turn: TurnContext, { tool: name, input }: ShellCall): string {
	const tool = findTool(turn, turn.agent, name);
	const parsed = tool?.input.safeParse(input);
	const summary = tool && parsed?.success ? tool.summary(parsed.data) : name;
	const line = toOneLine(summary, "selectors");
	const characters = [...line];
	return characters.length > SUMMARY ? `${characters.slice(0, SUMMARY).join("")}…` : line;
}

function toShellToolCall(call: string, { tool, input }: ShellCall, status: ResultStatus, output: string): ShellToolCall {
	return { call, tool, input: truncate(JSON.stringify(input) ?? ""), status, output: truncate(output) };
}

function truncate(text: string): string {
	const characters = [...text.slice(0, MAX_RECORDED * 2)];
	return text.length > MAX_RECORDED ? `${characters.slice(0, MAX_RECORDED).join("")}…` : text;
}
