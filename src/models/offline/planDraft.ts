// Result of a proposed change: draft steps, a question, or text.
import type { Question } from "../../core/events.ts";
import type { StepDraft } from "./planSteps.ts";

/** Part of a plan that implements one intent. */
export interface PlanDraft {
	goal: string;
	steps: StepDraft[];
	risks: string[];
	prerequisites: string[];
	/** One sentence on what was found. */
	note: string;
	/** True if tests are run at the end, if there are any. */
	shouldRunTests: boolean;
}

export type ProposalResult = { draft: PlanDraft } | { question: Question } | { text: string };
