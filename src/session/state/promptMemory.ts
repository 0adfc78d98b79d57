// Remembers a session's system prompts, and the offer that its next one states.

import type { Offer } from "./offer.ts";

/** A prompt as it was built, with its changeable facts. */
export interface FrozenPrompt {
	/** Identifies everything in it that does not change by itself: agent, role and our own text. */
	key: string;
	system: string;
	facts: readonly string[];
}

/** The prompts of one session. */
export class PromptMemory {
	readonly known = new Map<string, FrozenPrompt>();
	/** The prompt that is in use, but not yet named in the transcript. */
	unkept: FrozenPrompt | undefined;
	/** The prompt of the running turn, or of the last one. */
	current: FrozenPrompt | undefined;
	/** The last key, and the JSON of the parts that it was computed from. */
	lastKey: { parts: string; key: string } | undefined;
	/** Offer of the running turn, or of the message that begins it. */
	offer: Offer | undefined;
	/** Names of external tools in the last turn, and its prompt key. */
	listExternalToolNames: { key: string; names: readonly string[] } | undefined;
	/** True if a model's prompts include the plan and question formats, by model id. A model's capabilities may become known later. */
	readonly formatted = new Map<string, boolean>();

	/** The transcript was restarted. A running turn keeps its prompt, and so do the turns after it. */
	restarted(inTurn: boolean): void {
		this.known.clear();
		this.unkept = inTurn ? this.current : undefined;
		if (this.unkept) this.known.set(this.unkept.key, this.unkept);
	}
}
