// Whether a message is nothing but JSON, in one fence or none: such a message has a card of its own.
export function isJson(text: string): boolean {
	const inner = /^(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)\n\1$/.exec(text.trim())?.[2] ?? text;
	try {
		return typeof JSON.parse(inner) === "object";
	} catch {
		return false;
	}
}
