// Creates readable plan steps, and parses them back into exactly the approved actions.
import type { PlanStep } from "../../core/events.ts";
import type { Replacement } from "./edits.ts";
import { inlineCode, parseInlineCodes } from "./textParsing.ts";

export type StepAction =
	| { kind: "edit"; replacement: Replacement; files: string[] }
	| { kind: "move"; from: string; to: string }
	| { kind: "create"; path: string }
	| { kind: "delete"; path: string }
	| { kind: "run"; command: string; tests: boolean };

export type StepDraft = Omit<PlanStep, "step_number">;

/** `place` briefly describes the files of an edit. */
export function createStep(deed: StepAction, reason: string, place = ""): StepDraft {
	switch (deed.kind) {
		case "edit": {
			const { from, to, wholeName: whole } = deed.replacement;
			const verb = whole ? `Rename ${inlineCode(from)} to ${inlineCode(to)}` : `Replace ${inlineCode(from)} with ${inlineCode(to)}`;
			return {
				action: `${verb} ${place}`,
				reason,
				tools_needed: ["read_file", "update_file", "apply_patch"],
				estimated_time: seconds(deed.files.length),
				files: deed.files.map(escapeGlob),
			};
		}
		case "move":
			return {
				action: `Rename the file ${inlineCode(deed.from)} to ${inlineCode(deed.to)}`,
				reason,
				tools_needed: ["rename_file"],
				estimated_time: seconds(1),
				files: [escapeGlob(deed.from), escapeGlob(deed.to)],
			};
		case "create":
			return {
				action: `Create ${inlineCode(deed.path)}`,
				reason,
				tools_needed: ["create_file"],
				estimated_time: seconds(1),
				files: [escapeGlob(deed.path)],
			};
		case "delete":
			return {
				action: `Delete ${inlineCode(deed.path)}`,
				reason,
				tools_needed: ["delete_file"],
				estimated_time: seconds(1),
				files: [escapeGlob(deed.path)],
			};
		case "run":
			return {
				action: deed.tests ? `Run the tests with ${inlineCode(deed.command)}` : `Run ${inlineCode(deed.command)}`,
				reason,
				tools_needed: ["execute_command"],
				estimated_time: "~30 seconds",
			};
	}
}

/** Returns undefined for a step that was not created here. */
export function parseStepAction(step: PlanStep): StepAction | undefined {
	const [first, second] = parseInlineCodes(step.action);
	if (first === undefined) return undefined;
	const files = (step.files ?? []).map(unescapeGlob);
	if (/^Rename the file /.test(step.action)) return second === undefined ? undefined : { kind: "move", from: first, to: second };
	if (/^(?:Rename|Replace) /.test(step.action)) {
		const whole = step.action.startsWith("Rename");
		return second === undefined ? undefined : { kind: "edit", replacement: { from: first, to: second, wholeName: whole }, files };
	}
	if (/^Create /.test(step.action)) return { kind: "create", path: first };
	if (/^Delete /.test(step.action)) return { kind: "delete", path: first };
	if (/^Run /.test(step.action)) return { kind: "run", command: first, tests: step.action.startsWith("Run the tests") };
	return undefined;
}

function seconds(files: number): string {
	return `~${Math.max(1, files)} ${files > 1 ? "seconds" : "second"}`;
}

function escapeGlob(path: string): string {
	return path.replace(/[\\*?[\]{}()!+@]/g, "\\$&");
}

function unescapeGlob(glob: string): string {
	return glob.replace(/\\([\\*?[\]{}()!+@])/g, "$1");
}
