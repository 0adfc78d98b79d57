// read_command_output: what a command has written, a page at a time.
import * as z from "zod";
import { defineTool } from "../core/ports/tool.ts";
import type { OutputPage } from "../core/ports/workspace.ts";
import { t } from "../shared/l10n.ts";
import { resultCounts } from "./shared/resultCounts.ts";
import { withToolProblem } from "./shared/toolErrors.ts";

export const readCommandOutput = defineTool({
	name: "read_command_output",
	plugin: "terminal",
	description: "Read the output of a command by its id.",
	permissions: ["ReadFiles"],
	capabilities: ["terminal.execute"],
	input: z.object({ id: z.string().min(1), offset: z.number().int().min(0).optional() }),
	suits: (role) => role.permissions.includes("ExecuteCommands"),
	summary: () => t("Read command output"),
	done: () => t("Read command output"),
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
