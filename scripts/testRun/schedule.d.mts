interface Weighed {
	name: string;
	/** How many processors it keeps busy. */
	weight: number;
	after?: string;
}

export function runByWeight<P extends Weighed, R>(parts: readonly P[], capacity: number, run: (part: P) => Promise<R>): Promise<R[]>;
