// A change as it is proposed: a draft of steps, a question, or an answer.
import type { Question } from "../../core/events.ts";
import type { StepDraft } from "./planSteps.ts";

/** A part of a plan that one wish asks for. */
export interface PlanDraft {
	goal: string;
	steps: StepDraft[];
	risks: string[];
	prerequisites: string[];
	/** What was found, in a sentence. */
	note: string;
	/** Whether tests should run at the end, where there are any. */
	shouldRunTests: boolean;
}

export type ProposalResult = { draft: PlanDraft } | { question: Question } | { text: string };
