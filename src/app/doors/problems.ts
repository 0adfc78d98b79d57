// What is said to the agent about problems that the editor has found: the words of "Fix" and "Explain".

export interface Problem {
	/** From 1. */
	line: number;
	message: string;
	source?: string;
	code?: string;
}

export type ProblemWish = "fix" | "explain";

/** More say nothing new. */
const MOST = 10;

/** `mention` names the file and its lines for the composer's @. The words go to the model, so they are English. */
export function problemMessage(wish: ProblemWish, mention: string, problems: readonly Problem[]): string {
	const one = problems.length === 1;
	const what = one ? "this problem" : "these problems";
	const ask =
		wish === "fix"
			? `Fix ${what} in ${mention}`
			: `Explain ${what} in ${mention}, what causes ${one ? "it" : "them"} and how to fix ${one ? "it" : "them"}, without changing anything`;
	const more = problems.length > MOST ? [`- and ${problems.length - MOST} more`] : [];
	return [`${ask}:`, ...problems.slice(0, MOST).map(problemLine), ...more].join("\n");
}

function problemLine({ line, message, source, code }: Problem): string {
	const origin = [source, code].filter(Boolean).join(" ");
	return `- line ${line}: ${message.replace(/\s+/g, " ").trim()}${origin ? ` (${origin})` : ""}`;
}

/** First and last line of what the problems cover. */
export function linesOf(problems: readonly { line: number; endLine: number }[]): [number, number] {
	return [Math.min(...problems.map(({ line }) => line)), Math.max(...problems.map(({ endLine }) => endLine))];
}
