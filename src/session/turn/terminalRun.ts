// A command that waits for approval, run by the person in their own terminal: typed there, and followed to its result.

import type { PathFact } from "../../core/ports/pathFact.ts";
import { isTypeable, type TerminalRun } from "../../core/ports/personTerminal.ts";
import type { Tool } from "../../core/ports/tool.ts";
import { t } from "../../shared/l10n.ts";
import { AnswerRefused } from "../approvals/approvals.ts";
import type { CallFacts, ResultBody, SessionContext, TurnContext } from "../context.ts";
import { shownPath } from "../displayPaths.ts";
import { capText } from "../truncate.ts";
import { hiding } from "./hiddenValues.ts";

/** What of a call can be typed: one plain line that ends by itself, and where. */
export function typeable(tool: Tool, input: unknown, { command }: CallFacts): { text: string; cwd: PathFact } | undefined {
	if (tool.name !== "execute_command" || !command || command.odd !== undefined || command.outside) return undefined;
	const { background } = input as { background?: unknown };
	return background !== true && isTypeable(command.text) ? { text: command.text, cwd: command.cwd } : undefined;
}

/** Resolves when the person has run a line there, the request is answered, or the terminal is closed. */
export async function runInTerminal(session: SessionContext, request: string, hash: string): Promise<void> {
	const { decisions, services } = session;
	const waiting = decisions.approvals.typed(request, hash);
	if (!waiting || !services.terminal) throw new AnswerRefused(t("This request has expired or was answered already."));
	const { text, cwd } = waiting.line;
	const run = await services.terminal.type(text, cwd.real, waiting.over);
	if (!run || waiting.over.aborted) return;
	if (run.line === text) {
		decisions.approvals.ran(request, run);
		await session.answer(request, { allow: true }, "person", hash);
		return;
	}
	const hide = await hiding(services);
	const reason = t("They ran another line in their terminal: {0}", capText(hide(run.line), LONGEST_LINE));
	await session.answer(request, { allow: false, reason }, "person", hash);
}

const LONGEST_LINE = 2_000;
/** Bytes of output that a model gets at most. */
const OUTPUT = 30_000;

/** The result of a line that the person ran; it goes on in their terminal where the turn is stopped. */
export async function ranByPerson(turn: TurnContext, run: TerminalRun, cwd: PathFact): Promise<ResultBody> {
	turn.disk.forget();
	const stopped = new Promise<undefined>((resolve) => turn.signal.addEventListener("abort", () => resolve(undefined), { once: true }));
	const ended = turn.signal.aborted ? undefined : await Promise.race([run.ended, stopped]);
	turn.disk.forget();
	const view = {
		kind: "command" as const,
		command: run.line,
		cwd: shownPath(turn.services.workspace, cwd.literal),
		output: "",
		byPerson: true as const,
		changed: [],
	};
	if (!ended)
		return { status: "cancelled", output: "The person ran it in their own terminal, where it may still run; the turn was stopped.", view };
	const { output, exitCode } = ended;
	const code = exitCode === undefined ? "not known" : String(exitCode);
	// What is printed at once VS Code may miss.
	const hide = await hiding(turn.services);
	const printed = output.trim() === "" ? "[the terminal reported no output]" : hide(output).replace(/\n$/, "");
	const figure = exitCode === undefined || exitCode === 0 ? t("run by you") : t("exit {0}", exitCode);
	return {
		status: "ok",
		output: capText(`exit code: ${code}; run by the person in their own terminal\n${printed}`, OUTPUT),
		view: { ...view, figure, ...(exitCode !== undefined && { exitCode }) },
	};
}
