export interface Part {
	name: string;
	/** A script of Node's, with its words. */
	command: string[];
	counts?: boolean;
	after?: string;
	/** How many processors it keeps busy. */
	weight: number;
	job: string;
}

export const plans: Record<"check" | "test" | "nightly", Part[]>;
export const JOBS: readonly string[];
export function listParts(plan: keyof typeof plans, job?: string): Part[];
