export function runMocha(options: {
	files: readonly string[];
	required?: readonly string[];
	/** Of titles. */
	pattern?: string | undefined;
	/** Milliseconds. */
	timeout: number;
	environment: Record<string, string>;
	/** Whether it prints; it does by default. */
	isQuiet?: boolean;
}): Promise<number>;
