// Makes text that the user did not write inert in the composer.

/**
 * A backslash before the first / and before every @ that begins a word, in code too, so that no edit around it turns it into a command
 * or a mention. It is visible, and stays with the message until the user removes it.
 */
export function toInertText(text: string): string {
	return text.replace(COMMAND_OR_MENTION, "\\$&");
}

const COMMAND_OR_MENTION = /(?<=^\s*)\/|(?<=^|[\s([{'"„“‘<`])@(?=\S)/g;
