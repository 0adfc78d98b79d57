// Formats the "Fix" and "Explain" messages for problems that the editor has found.

export interface FoundProblem {
	/** 1-based. */
	line: number;
	message: string;
	source?: string;
	code?: string;
}

export type ProblemAction = "fix" | "explain";

/** Maximum number of problems listed. */
const MOST = 10;

/** Fences text from language servers, so that it can't contain mentions. No line inside begins with the fence. */
const FENCE = "```";

/** `mention` names the file and its lines for the composer's @. The text is for the model, so it is in English. */
export function formatProblemMessage(action: ProblemAction, mention: string, problems: readonly FoundProblem[]): string {
	const single = problems.length === 1;
	const what = single ? "this problem" : "these problems";
	const request =
		action === "fix"
			? `Fix ${what} in ${mention}`
			: `Explain ${what} in ${mention}, what causes ${single ? "it" : "them"} and how to fix ${single ? "it" : "them"}, without changing anything`;
	const more = problems.length > MOST ? [`- and ${problems.length - MOST} more`] : [];
	return [`${request}:`, FENCE, ...problems.slice(0, MOST).map(problemLine), ...more, FENCE].join("\n");
}

function problemLine({ line, message, source, code }: FoundProblem): string {
	const origin = [source, code].filter(Boolean).join(" ");
	return `- line ${line}: ${message}${origin ? ` (${origin})` : ""}`.replace(/\s+/g, " ").trim();
}

/** First and last line that the problems cover. */
export function findLineRange(problems: readonly { line: number; endLine: number }[]): [number, number] {
	return [Math.min(...problems.map(({ line }) => line)), Math.max(...problems.map(({ endLine }) => endLine))];
}
