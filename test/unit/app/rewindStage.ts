// A person who answers what going back asks, and a composer that brings nothing along.
import type { Message } from "../../../src/app/mailbox.ts";

export interface Person {
	/** The button that is pressed; undefined closes the dialogue. */
	answer: string | undefined;
	asked: { text: string; detail: string; buttons: readonly string[] }[];
	choose(text: string, detail: string, buttons: readonly string[]): Promise<string | undefined>;
	copy(text: string): Promise<void>;
}

export function rewindHost(): Person {
	const person: Person = {
		answer: undefined,
		asked: [],
		async choose(text, detail, buttons) {
			person.asked.push({ text, detail, buttons });
			return person.answer;
		},
		copy: async () => undefined,
	};
	return person;
}

export async function composing(_: unknown, text: string): Promise<{ message: Message; notes: string[] }> {
	return { message: { text }, notes: [] };
}
