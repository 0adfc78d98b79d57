// Programs that run another one and change nothing about it: what they would run.
import type { Flavor } from "../../core/hostPrograms.ts";
import type { Call } from "./judgement.ts";

/** What really runs. It may be such a program itself. */
export interface Unwrapped {
	words: readonly string[];
	/** Places in `words` whose text only the shell knows. */
	unknown: ReadonlySet<number>;
	/** Where the name alone tells it (`gsed`, `busybox sed`); else that of the program that is found. */
	flavor?: Flavor;
	/** Further words come from the input (`xargs`): only programs judged `anyWords` may go ahead. */
	open?: true;
	/** Builtins of the shell count, too (`command`, `time`); elsewhere only programs on disk do. */
	builtins?: true;
}

/** Undefined for a program that runs no other, and where it is used with anything that is not known. */
export function unwrapped(call: Call): Unwrapped | undefined {
	const [program, ...rest] = call.words;
	if (program !== "time" || rest.length === 0 || rest[0]?.startsWith("-")) return undefined;
	return { words: rest, unknown: shifted(call, 1), builtins: true };
}

function shifted({ unknown }: Call, by: number): ReadonlySet<number> {
	return new Set([...unknown].map((place) => place - by));
}
