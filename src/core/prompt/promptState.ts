// What sessions keep of their system prompts, so that each stays as it was sent and nothing is told twice.
import type { BlobRef } from "../events.ts";

/** What a message tells of things that have changed since the prompt was built, a line each. */
export interface Told {
	added: string[];
	removed: string[];
}

/** A prompt that was built and is in force for its key: who, in which role, in which words of ours. */
export interface KeptPrompt {
	key: string;
	/** JSON with the prompt's text, to the byte. */
	text: BlobRef;
}
