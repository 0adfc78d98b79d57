// Formats the "Fix" and "Explain" messages for problems that the editor has found.

export interface FoundProblem {
	/** From 1. */
	line: number;
	message: string;
	source?: string;
	code?: string;
}

export type ProblemAction = "fix" | "explain";

/** More say nothing new. */
const MOST = 10;

/** What a workspace made a language server say is quoted: nothing in it counts as a mention. None of the lines within begins with it. */
const FENCE = "```";

/** `mention` names the file and its lines for the composer's @. The words go to the model, so they are English. */
export function formatProblemMessage(wish: ProblemAction, mention: string, problems: readonly FoundProblem[]): string {
	const one = problems.length === 1;
	const what = one ? "this problem" : "these problems";
	const ask =
		wish === "fix"
			? `Fix ${what} in ${mention}`
			: `Explain ${what} in ${mention}, what causes ${one ? "it" : "them"} and how to fix ${one ? "it" : "them"}, without changing anything`;
	const more = problems.length > MOST ? [`- and ${problems.length - MOST} more`] : [];
	return [`${ask}:`, FENCE, ...problems.slice(0, MOST).map(problemLine), ...more, FENCE].join("\n");
}

function problemLine({ line, message, source, code }: FoundProblem): string {
	const origin = [source, code].filter(Boolean).join(" ");
	return `- line ${line}: ${message}${origin ? ` (${origin})` : ""}`.replace(/\s+/g, " ").trim();
}

/** First and last line of what the problems cover. */
export function findLineRange(problems: readonly { line: number; endLine: number }[]): [number, number] {
	return [Math.min(...problems.map(({ line }) => line)), Math.max(...problems.map(({ endLine }) => endLine))];
}
