// The port to what commands can reach of the session that runs them: its plugins' tools, from a shell.
import type { TurnContext } from "./turnContext.ts";

export interface CommandDoor {
	/** A way in for one command that this turn runs; undefined where its agent reaches nothing from a shell. */
	open(turn: TurnContext, call: string): Promise<OpenDoor | undefined>;
}

/** Counts while the command lives and for nobody else. */
export interface OpenDoor {
	/** Variables of that command alone. */
	env: Readonly<Record<string, string>>;
	/** What of them must not be seen in its output. */
	secrets: readonly string[];
	/** Milliseconds it has waited for the person. */
	waited(): number;
	close(): void;
}
