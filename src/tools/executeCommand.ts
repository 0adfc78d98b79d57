// The execute_command tool: runs a bash command and reports its output and the files it changed.
import * as z from "zod";
import type { CommandView } from "../core/eventData/toolView.ts";
import type { FileChange } from "../core/events.ts";
import { defineTool, type ToolOutput } from "../core/ports/tool.ts";
import type { OutputPage, RunOptions, RunResult } from "../core/ports/workspace/commands.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import { formatNumber, t } from "../shared/l10n.ts";
import { summaryAndDone } from "../shared/toolWords.ts";
import { displayPath, pathFactOf, resultCounts, WorkspacePath, withToolProblem } from "./shared/toolHelpers.ts";

/** Seconds after which a command without a timeout continues in the background. */
const FOREGROUND_LIMIT = 120;
const LONGEST_TIMEOUT = 3_600;
const NAMED_FILES = 100;

export const executeCommand = defineTool({
	name: "execute_command",
	plugin: "terminal",
	description: "Run a bash command. It cannot be typed to.",
	permissions: ["ExecuteCommands"],
	capabilities: ["terminal.execute"],
	input: z.object({
		command: z.string().min(1),
		cwd: WorkspacePath.optional(),
		timeout: z
			.number()
			.int()
			.min(1)
			.max(LONGEST_TIMEOUT)
			.optional()
			.describe("Seconds after which it is ended. Without it, it goes on in the background after 120"),
		background: z.boolean().optional().describe("Return at once, with an id for read_command_output"),
		outsideSandbox: z.boolean().optional().describe("Ask the person to run it outside the sandbox, where that made it fail"),
	}),
	...summaryAndDone("execute_command"),
	paths: ({ cwd }) => (cwd === undefined ? [] : [{ path: cwd, use: "read" }]),
	command: ({ command, cwd, outsideSandbox }) => ({ command, cwd, ...(outsideSandbox && { outside: true as const }) }),
	async run({ command, cwd, timeout, background }, context) {
		const { workspace, signal } = context;
		const fact = cwd === undefined ? undefined : pathFactOf(context, cwd);
		const folder = fact?.literal ?? workspace.folders()[0]?.path ?? "/";
		const options: RunOptions = {
			cwd: fact?.real ?? folder,
			signal,
			...(timeout === undefined ? { foregroundTimeout: FOREGROUND_LIMIT * 1_000 } : { timeout: timeout * 1_000 }),
			call: context.call,
			onOutput: context.progress,
		};
		if (background) options.background = true;
		return withToolProblem(signal, "The command could not be started.", async () => {
			const changesSince = await workspace.watch();
			const result = await workspace.run(command, options);
			// A cancelled command may have changed files too.
			const changed = await changesSince();
			return report(result, { command, folder, timeout, background, changed }, workspace);
		});
	},
});

interface CommandRun {
	command: string;
	folder: string;
	/** Seconds. */
	timeout: number | undefined;
	background: boolean | undefined;
	changed: FileChange[];
}

function report(result: RunResult, ran: CommandRun, workspace: Workspace): ToolOutput {
	const { command, folder, changed } = ran;
	const view: CommandView = {
		kind: "command",
		command,
		cwd: displayPath(folder, workspace),
		output: result.id,
		changed,
		figure: figureOf(result),
	};
	if (result.exitCode !== undefined) view.exitCode = result.exitCode;
	if (result.signal !== undefined) view.signal = result.signal;
	if (result.running) view.background = true;
	const shown = (path: string) => displayPath(path, workspace);
	const sandbox = sandboxView(result, shown);
	if (sandbox) view.sandbox = sandbox;
	const output = [firstLine(result, ran)];
	if (result.output) output.push(result.output.replace(/\n$/, ""));
	output.push(...sandboxNotes(result, shown));
	if (changed.length > 0) output.push(`changed files: ${listChanges(changed, workspace)}`);
	return { output: output.join("\n"), view, status: result.stopped === undefined ? "ok" : "error" };
}

function firstLine(result: RunResult, { timeout, background }: CommandRun): string {
	if (result.running && result.stopped === undefined) {
		const id = `read_command_output with id=${result.id} shows its output`;
		if (background) return `running in the background; ${id}`;
		return `not ended after ${FOREGROUND_LIMIT} s: it goes on in the background until it ends or is stopped; ${id}`;
	}
	if (result.stopped === "timeout") {
		// Read-only commands get at most their own limit.
		const seconds = Math.min(timeout ?? Number.POSITIVE_INFINITY, Math.max(1, Math.round(result.duration / 1_000)));
		return `exit code: none, stopped after ${seconds} s. Give a longer timeout, or run it with background.`;
	}
	if (result.stopped === "prompt") {
		return "exit code: none, stopped because it waited for an answer. Nobody can type: use its options for unattended runs.";
	}
	if (result.stopped === "cancelled") return "exit code: none, cancelled";
	if (result.exitCode === undefined) return `exit code: none, ended by ${result.signal ?? "a signal"}`;
	return `exit code: ${result.exitCode}`;
}

function figureOf(result: RunResult): string {
	if (result.stopped !== undefined) return result.stopped === "timeout" ? t("timed out") : t("stopped");
	if (result.running) return t("running");
	if (result.exitCode !== undefined && result.exitCode !== 0) return t("exit code {0}", result.exitCode);
	return t("{0} s", formatNumber(result.duration / 1_000, { minimumFractionDigits: 1, maximumFractionDigits: 1 }));
}

function listChanges(changed: readonly FileChange[], workspace: Workspace): string {
	const names = changed.slice(0, NAMED_FILES).map(({ path, action }) => `${displayPath(path, workspace)} (${action})`);
	if (changed.length > NAMED_FILES) names.push(`${changed.length - NAMED_FILES} more`);
	return names.join(", ");
}

export const readCommandOutput = defineTool({
	name: "read_command_output",
	plugin: "terminal",
	description: "Read the output of a command by its id.",
	permissions: ["ReadFiles"],
	capabilities: ["terminal.execute"],
	input: z.object({ id: z.string().min(1), offset: z.number().int().min(0).optional() }),
	suits: (role) => role.permissions.includes("ExecuteCommands"),
	...summaryAndDone("read_command_output"),
	async run({ id, offset = 0 }, { workspace, signal }) {
		const page = await withToolProblem(signal, "The output could not be read.", () => workspace.output(id, offset));
		const output = [stateOf(page)];
		if (page.text) output.push(page.text.replace(/\n$/, ""));
		if (page.next !== undefined) output.push(`[bytes ${offset}-${page.next} of ${page.bytes}; go on with offset=${page.next}]`);
		return { output: output.join("\n"), view: { kind: "text", figure: resultCounts.bytes(page.bytes) } };
	},
});

function stateOf(page: OutputPage): string {
	if (page.running) return "still running";
	return page.exitCode === undefined ? "exit code: none" : `exit code: ${page.exitCode}`;
}

/** Returns the sandbox for display; undefined if the command was not confined. `shown` formats paths for display. */
function sandboxView({ confined, ...result }: RunResult, shown: (path: string) => string): CommandView["sandbox"] {
	if (!confined) return undefined;
	const { kind, touched } = confined;
	return { kind, ...(isHindered(result) && { hindered: true as const }), ...(touched.length > 0 && { touched: touched.map(shown) }) };
}

/** Lines for the model. */
function sandboxNotes(result: RunResult, shown: (path: string) => string): string[] {
	const { confined } = result;
	if (!confined) return [];
	const lines: string[] = [];
	if (confined.touched.length > 0) {
		const names = confined.touched.slice(0, NAMED).map(shown);
		if (confined.touched.length > NAMED) names.push(`${confined.touched.length - NAMED} more`);
		lines.push(`It made or replaced protected files, which only the person may allow: ${names.join(", ")}. Tell them.`);
	}
	if (isHindered(result)) {
		const reach = confined.kind === "read" ? "cannot write" : "writes in the workspace only, protected files excepted";
		const network = confined.network ? "" : " and has no network";
		lines.push(`It ran in a sandbox that ${reach}${network}: that may be why it failed. If so, call again with outsideSandbox: true.`);
	}
	return lines;
}

const NAMED = 10;

/** Returns true if the command failed by itself with a message typical of the sandbox's restrictions. */
function isHindered({ exitCode, stopped, running, output }: RunResult): boolean {
	return !running && stopped === undefined && exitCode !== undefined && exitCode !== 0 && REFUSED.test(output);
}

const REFUSED = new RegExp(
	[
		...["read-only file system", "permission denied", "operation not permitted", "device or resource busy", "function not implemented"],
		...["\\bE(?:ROFS|ACCES|PERM|BUSY|XDEV|NETUNREACH|AI_AGAIN|NOTFOUND|CONNREFUSED|ADDRNOTAVAIL|AFNOSUPPORT|HOSTUNREACH)\\b"],
		...[
			"network is unreachable",
			"no route to host",
			"connection refused",
			"cannot assign requested address",
			"address family not supported",
		],
		...[
			"could ?n[o']t resolve",
			"temporary failure in name resolution",
			"name or service not known",
			"no address associated",
			"no such host",
		],
		...[
			"invalid cross-device link",
			"cannot allocate memory",
			"no usable sandbox",
			"failed to sign",
			"dubious ownership",
			"bwrap:",
			"sandbox-exec:",
		],
	].join("|"),
	"i",
);
