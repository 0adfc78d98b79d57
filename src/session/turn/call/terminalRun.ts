// Runs a command that awaits approval in the user's own terminal, and collects its result.

import { toDisplayPath } from "../../../core/paths.ts";
import type { CallFacts } from "../../../core/ports/gate.ts";
import type { ToolResultBody } from "../../../core/ports/runtime.ts";
import type { PathFacts, Tool } from "../../../core/ports/tool.ts";
import { canTypeInTerminal, type TerminalRun } from "../../../core/ports/workspace/commands.ts";
import { t } from "../../../shared/l10n.ts";
import { unlessAborted } from "../../../shared/node/withTimeout.ts";
import { truncateMiddle } from "../../../shared/utf8.ts";
import type { SessionContext } from "../../sessionContext.ts";
import { createExpiredError } from "../../state/pendingApprovals.ts";
import { createRedactor } from "../../transcript/redactedValues.ts";
import type { TurnContext } from "../../turnContext.ts";

/** The line of a call that can be typed: a single plain line that ends by itself, and its folder. */
export function findTypeableLine(tool: Tool, input: unknown, { command }: CallFacts): { text: string; cwd: PathFacts } | undefined {
	if (tool.name !== "execute_command" || !command || command.odd !== undefined || command.outside) return undefined;
	const { background } = input as { background?: unknown };
	return background !== true && canTypeInTerminal(command.text) ? { text: command.text, cwd: command.cwd } : undefined;
}

/** Resolves when the user has run a line there, the request is answered, or the terminal is closed. */
export async function runInTerminal(session: SessionContext, request: string, hash: string): Promise<void> {
	const { decisions, services } = session;
	const waiting = decisions.approvals.typed(request, hash);
	if (!waiting || !services.terminal) throw createExpiredError();
	const { text, cwd } = waiting.line;
	const run = await services.terminal.type(text, cwd.real, waiting.over);
	if (!run || waiting.over.aborted) return;
	if (run.line === text) {
		decisions.approvals.ran(request, run);
		await session.answer(request, { allow: true }, "person", hash);
		return;
	}
	const hide = await createRedactor(services);
	const reason = t("Another command was run in the terminal instead: {0}", truncateMiddle(hide(run.line), LONGEST_LINE));
	await session.answer(request, { allow: false, reason }, "person", hash);
}

const LONGEST_LINE = 2_000;
/** Maximum bytes of output for the model. */
const OUTPUT = 30_000;

/** The result of a line that the user ran; it continues in their terminal if the turn is stopped. */
export async function createTerminalRunResult(turn: TurnContext, run: TerminalRun, cwd: PathFacts): Promise<ToolResultBody> {
	turn.disk.forget();
	const ended = await unlessAborted(run.ended, turn.signal).catch((error: unknown) => {
		if (!turn.signal.aborted) throw error;
	});
	turn.disk.forget();
	const view = {
		kind: "command" as const,
		command: run.line,
		cwd: toDisplayPath(turn.workspace, cwd.literal),
		output: "",
		byPerson: true as const,
		changed: [],
	};
	if (!ended)
		return { status: "cancelled", output: "The person ran it in their own terminal, where it may still run; the turn was stopped.", view };
	const { output, exitCode } = ended;
	const code = exitCode === undefined ? "not known" : String(exitCode);
	// VS Code may miss the output of commands that end immediately.
	const hide = await createRedactor(turn.services);
	const printed = output.trim() === "" ? "[the terminal reported no output]" : hide(output).replace(/\n$/, "");
	const figure = exitCode === undefined || exitCode === 0 ? t("run by you") : t("exit code {0}", exitCode);
	return {
		status: "ok",
		output: truncateMiddle(`exit code: ${code}; run by the person in their own terminal\n${printed}`, OUTPUT),
		view: { ...view, figure, ...(exitCode !== undefined && { exitCode }) },
	};
}
