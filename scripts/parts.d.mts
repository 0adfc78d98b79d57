export interface Part {
	name: string;
	/** A script of Node's, with its words. */
	command: string[];
	counts?: boolean;
	after?: string;
}

export const plans: Record<"check" | "test" | "nightly", Part[]>;
