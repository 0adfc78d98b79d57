// Summarizes a session by fixed rules: requests, changed files and the last answer.
import type { ModelRequest } from "../../core/ports/model.ts";
import type { Replacement } from "./edits.ts";
import type { OfflineCallResult } from "./generator.ts";
import { formatCount, formatList, inlineCode } from "./textParsing.ts";

/** Returns the text of a request without tools whose only message is a transcript from the host. */
export function transcriptToSummarize({ events, tools }: ModelRequest): string | undefined {
	const [only, ...more] = events;
	return only?.type === "user" && only.by === "host" && more.length === 0 && tools.length === 0 ? only.text : undefined;
}

const CHANGING = /^Calls (?:update_file|create_file|delete_file|rename_file|apply_patch) (.*)$/gm;
const NAMED = /"(?:path|from|to)":"([^"\\]+)"|\*\*\* \w+ File: ([^\\"]+)/g;
const LONGEST = 400;

export function summarizeTranscript(transcript: string): string {
	const asked = sections(transcript, "Person").map((text) => `- ${oneLine(text)}`);
	const files = [...transcript.matchAll(CHANGING)].flatMap(([, input = ""]) =>
		[...input.matchAll(NAMED)].map(([, path, patched]) => path ?? patched),
	);
	const touched = [...new Set(files)].map((path) => `- ${path}`);
	const earlier = sections(transcript, "What came before, summed up earlier");
	const said = sections(transcript, "Agent")
		.filter((text) => !text.startsWith("Calls "))
		.at(-1);
	return [
		...(earlier.length > 0 ? [`## Before\n${earlier.at(-1)}`] : []),
		`## Goal\nThe person wrote, in this order:\n${asked.join("\n") || "- nothing"}`,
		`## Files touched\n${touched.join("\n") || "- none"}`,
		`## Found out\n${said ? oneLine(said) : "Nothing was said yet."}`,
	].join("\n\n");
}

/** Texts below a heading, up to the next heading or result. */
function sections(transcript: string, heading: string): string[] {
	return [...transcript.matchAll(new RegExp(`^## ${heading}\\n([\\s\\S]*?)(?=\\n\\n(?:## |Result of |\\[)|$(?![\\s\\S]))`, "gm"))].map(
		([, text = ""]) => text.trim(),
	);
}

function oneLine(text: string): string {
	const line = text.replace(/\s+/g, " ");
	return line.length > LONGEST ? `${[...line.slice(0, LONGEST - 1)].join("")}…` : line;
}

interface CommandReport {
	command: string;
	tests: boolean;
	passed: boolean;
	/** One sentence. */
	outcome: string;
}

export function createCommandReport(command: string, tests: boolean, { status, output }: OfflineCallResult): CommandReport {
	const name = tests ? `The tests (${inlineCode(command)})` : inlineCode(command);
	const told = (passed: boolean, outcome: string): CommandReport => ({ command, tests, passed, outcome });
	if (status === "denied")
		return told(false, `${name} did not run: ${/^The person denied/.test(output) ? "you did not allow it." : firstLine(output)}`);
	if (status === "cancelled" || status === "unknown") return told(false, `${name} did not finish.`);
	const exit = /^exit code: (-?\d+)/m.exec(output)?.[1];
	const figures = figuresIn(output);
	const details = figures.length > 0 ? `: ${figures.join(", ")}` : "";
	if (exit === "0") return told(true, tests ? `${name} passed${details}.` : `${name} ended well${details}.`);
	if (exit === undefined) return told(false, `${name} did not end by itself: ${firstLine(output)}`);
	const lines = output.split("\n").filter((line) => line.trim() !== "");
	const worst = lines.filter((line) => /^\s*(?:not ok|✖|✗|✘|×|FAIL|FAILED)\b|Error:|^\s*\d+\) /.test(line)).slice(0, 5);
	const shown = worst.length > 0 ? worst : lines.slice(1).slice(-4);
	const quote = shown.length > 0 ? `\n\n\`\`\`\n${shown.map((line) => line.trimEnd()).join("\n")}\n\`\`\`` : "";
	if (exit === "127")
		return told(
			false,
			`${name} could not run: a program it needs was not found (exit code 127). Install what is missing, for example with \`npm install\`.${quote}`,
		);
	return told(false, `${name} failed with exit code ${exit}${details}.${quote}`);
}

/** Test counts as printed by the test program. */
function figuresIn(output: string): string[] {
	const lines = output.split("\n");
	const figures = lines.flatMap((line) => {
		const tap = /^\s*[#ℹ] (pass|fail) (\d+)\s*$/.exec(line);
		if (tap) return tap[1] === "fail" && tap[2] === "0" ? [] : [`${tap[2]} ${tap[1]}`];
		return /^\s*(?:Tests:\s+.*|\d+ (?:passing|failing|pending)\b.*|=+ .*\b(?:passed|failed)\b.*=+|test result: .*|OK \(\d+ tests?.*)$/.test(
			line,
		)
			? [line.trim()]
			: [];
	});
	return figures.slice(-3);
}

export function formatReport({ edits, files, runs, problems, stopped }: ExecutionReport): string {
	const done: string[] = [];
	for (const { replacement, places, files: touched, left } of edits) {
		const verb = replacement.wholeName ? "Renamed" : "Replaced";
		const joint = replacement.wholeName ? "to" : "with";
		if (places > 0)
			done.push(
				`${verb} ${inlineCode(replacement.from)} ${joint} ${inlineCode(replacement.to)} at ${formatCount(places, "place")} in ${formatCount(touched.size, "file")}.`,
			);
		else done.push(`Nothing was changed: ${inlineCode(replacement.from)} no longer stands in the files of the plan.`);
		if (left.length > 0) done.push(`It still stands in ${formatList(left)}, which was not part of this.`);
	}
	if (files.length > 0) done.push(`${capital(files.join(", "))}.`);
	const well = problems.length === 0 && runs.every((run) => run.passed);
	const head = well ? "Done." : stopped ? "Stopped." : done.length > 0 ? "Done in part." : "Not done.";
	const parts = [`**${head}** ${done.join(" ")}`.trim(), ...runs.map((run) => run.outcome)];
	if (problems.length > 0) parts.push(problems.map((problem) => `- ${problem}`).join("\n"));
	if (stopped)
		parts.push(
			"The steps after it were skipped; what was changed before stays changed. Say “continue” to go on, or undo the changes from their cards.",
		);
	return parts.join("\n\n");
}

function capital(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

function firstLine(text: string): string {
	const line = text.trim().split("\n")[0] ?? "";
	return line.length > 300 ? `${[...line.slice(0, 299)].join("")}…` : line;
}

export interface ExecutionReport {
	edits: { replacement: Replacement; places: number; files: Set<string>; left: string[] }[];
	files: string[];
	runs: CommandReport[];
	/** Failures, as sentences. */
	problems: string[];
	/** A call was denied: the remaining steps were skipped. */
	stopped: boolean;
}
