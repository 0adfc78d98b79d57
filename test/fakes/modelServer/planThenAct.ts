// Fake model script that plays the rename flow and reacts to the tool results it receives.
import { countReplacements, createFileEdits } from "../../../src/models/offline/edits.ts";
import { parseFilePage, parseSearchHits } from "../../../src/models/offline/search.ts";
import type { AskedMessage, AskedRequest, ScriptedAnswer, ScriptedCall } from "./script.ts";

/** Searches and presents a plan where it may not write; edits what a search returns, runs the tests and sums up where it may. */
export function planThenActScript(from: string, to: string, testCommand = "npm test"): (request: AskedRequest) => ScriptedAnswer {
	const replacement = { from, to, wholeName: true };

	function filesIn(output: string): string[] {
		const hits = parseSearchHits({ status: "ok", output }).filter((hit) => countReplacements(hit.text, replacement) > 0);
		return [...new Set(hits.map((hit) => hit.path))];
	}

	function plan(done: Done): ScriptedAnswer {
		const found = done.output("search_code");
		if (found === undefined) return { text: `I will look for ${from} first.`, calls: [{ name: "search_code", input: { pattern: from } }] };
		if (done.output("present_plan") !== undefined) return { text: "The plan is above." };
		const files = filesIn(found);
		if (files.length === 0) return { text: `I found no ${from} in this workspace.` };
		const steps = [
			{
				step_number: 1,
				action: `Rename ${from} to ${to} in ${files.length} files`,
				reason: "Asked for",
				tools_needed: ["update_file"],
				estimated_time: "~5 seconds",
				files,
			},
			{
				step_number: 2,
				action: "Run the tests",
				reason: "To see that nothing broke",
				tools_needed: ["execute_command"],
				estimated_time: "~10 seconds",
			},
		];
		const input = {
			goal: `Rename ${from} to ${to}`,
			steps,
			estimated_total_time: "~15 seconds",
			risks: ["Callers outside this workspace break"],
			prerequisites: [],
		};
		return { text: `I found it in ${files.length} files.`, calls: [{ name: "present_plan", input }] };
	}

	function act(done: Done, approved: boolean): ScriptedAnswer {
		const step = (step_number: number, status: string): ScriptedCall[] =>
			approved ? [{ name: "update_step", input: { step_number, status } }] : [];
		const found = done.output("search_code");
		if (found === undefined)
			return { text: "I begin with the edits.", calls: [...step(1, "running"), { name: "search_code", input: { pattern: from } }] };
		const files = filesIn(found);
		if (files.length > 0 && done.output("read_file") === undefined)
			return { calls: files.map((path) => ({ name: "read_file", input: { path } })) };
		const edits = files.flatMap(
			(path) =>
				createFileEdits(path, parseFilePage({ status: "ok", output: done.output("read_file", path) ?? "" }).lines, replacement, true).calls,
		);
		const editing = edits.some(({ name }) => done.output(name) !== undefined);
		if (edits.length > 0 && !editing) return { calls: edits };
		const result = done.output("execute_command");
		if (result === undefined)
			return {
				text: "Now the tests.",
				calls: [...step(1, "done"), ...step(2, "running"), { name: "execute_command", input: { command: testCommand } }],
			};
		const passed = /^exit code: 0$/m.test(result);
		if (approved && !done.called("update_step", { step_number: 2, status: passed ? "done" : "failed" }))
			return { calls: step(2, passed ? "done" : "failed") };
		return { text: `I renamed ${from} to ${to} in ${files.length} files. ${passed ? "The tests pass." : "The tests did not pass."}` };
	}

	return (request) => {
		const done = doneSince(request.messages);
		const approved = request.messages.findLast((message) => message.role === "user")?.text.includes("[The person approved") ?? false;
		return request.tools.includes("update_file") ? act(done, approved) : plan(done);
	};
}

interface Done {
	/** What the first such call gave, since the person last said something. */
	output(name: string, path?: string): string | undefined;
	called(name: string, input: object): boolean;
}

function doneSince(messages: readonly AskedMessage[]): Done {
	const recent = messages.slice(messages.findLastIndex((message) => message.role === "user") + 1);
	const outputs = new Map(recent.flatMap((message) => (message.call === undefined ? [] : [[message.call, message.text] as const])));
	const calls = recent.flatMap((message) => message.calls);
	return {
		output(name, path) {
			const call = calls.find((made) => made.name === name && (path === undefined || (made.input as { path?: string }).path === path));
			return call && outputs.get(call.id);
		},
		called: (name, input) => calls.some((made) => made.name === name && JSON.stringify(made.input) === JSON.stringify(input)),
	};
}
