// Numbers on a page's intents, so that it can tell when the host has posted everything that they caused.

/** A message from a page to the host. `number` differs from those of earlier loads of the page. */
export interface NumberedIntent<Intent = unknown> {
	number: number;
	intent: Intent;
}

/** The updates that an intent caused are posted. What a turn brings after its beginning doesn't count. */
export interface Acknowledgment {
	type: "acknowledged";
	number: number;
}

/** Returns undefined for a message that no page of ours posts. */
export function readNumbered(message: unknown): NumberedIntent | undefined {
	const { number, intent } = (message ?? {}) as Partial<NumberedIntent>;
	return Number.isSafeInteger(number) && intent !== undefined ? { number: number as number, intent } : undefined;
}
