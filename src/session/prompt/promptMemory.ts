// Remembers a session's system prompts.

/** A prompt as it was built, with what it told of things that change. */
export interface FrozenPrompt {
	/** Of all in it that does not change by itself: who, in which role, in our words. */
	key: string;
	system: string;
	facts: readonly string[];
}

/** What a conversation remembers of its prompts. */
export class PromptMemory {
	readonly known = new Map<string, FrozenPrompt>();
	/** In force and not yet named in the transcript. */
	unkept: FrozenPrompt | undefined;
	/** That of the turn that runs, or ran last. */
	current: FrozenPrompt | undefined;
	/** Names of tools from outside as the last turn had them, and whose turn it was. */
	listExternalToolNames: { key: string; names: readonly string[] } | undefined;
	/** By the model's id: whether its prompts have the formats of plans and questions. More may be known of it later. */
	readonly formatted = new Map<string, boolean>();

	/** The transcript begins anew. A turn that runs keeps its prompt, and so do those after it. */
	restarted(inTurn: boolean): void {
		this.known.clear();
		this.unkept = inTurn ? this.current : undefined;
		if (this.unkept) this.known.set(this.unkept.key, this.unkept);
	}
}
