// Recognises a program that waits for an answer nobody will give, by the line on which its output stopped.
import { toPlainText } from "./terminalText.ts";

/** `tail` is the end of the output so far. */
export function looksLikePrompt(tail: Uint8Array): boolean {
	const text = toPlainText(Buffer.from(tail.subarray(-1_000)).toString("utf8"));
	const line = text.slice(text.lastIndexOf("\n") + 1).trim();
	return line !== "" && PROMPTS.some((prompt) => prompt.test(line));
}

const PROMPTS = [
	/\b(?:password|passphrase|passcode|pin|username|login|otp|one-time code|verification code)\b[^\n]{0,100}[:?]$/i,
	/[[(](?:y\/n|yes\/no|y\/n\/[a-z/]{1,20}|yes\/no\/\[fingerprint\]|y|yes)[\])]\s*[?:>]?$/i,
	/\b(?:continue|proceed|overwrite|replace|are you sure|ok to)\b[^\n]{0,100}\?$/i,
	/\bpress (?:any key|enter|return)\b[^\n]{0,60}$/i,
	/^\? [^\n]{1,200}[›»:?]/,
	/\(END\)$/,
	/^--More--/,
	/^:$/,
];
