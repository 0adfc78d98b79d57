// The Markdown parser, set up for text nobody vouches for: no raw HTML, and only web addresses are links.
import MarkdownIt from "markdown-it";
import { hasHidden, isPlainAddress } from "../../src/core/hiddenText.ts";

/** Raw HTML stays text and shows as it was written. */
export const markdownParser = new MarkdownIt({ html: false, linkify: true, breaks: false });

markdownParser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdownParser.validateLink = (address) => parseWebUrl(address) !== undefined || isImageDataUrl(address) || isRelativePath(address);

/** A place in the workspace: no scheme, no server, not from the root. */
export function isRelativePath(address: string): boolean {
	const trimmed = address.trim();
	return !/^[a-z][a-z\d+.-]*:(?!\d+(?::\d+)?$)|^[/\\#?~]|\\/i.test(trimmed) && !hasHidden(trimmed, "selectors");
}

/** The address as the browser would go to it; undefined for whatever is not plainly http or https. */
export function parseWebUrl(address: string): URL | undefined {
	const trimmed = address.trim();
	// The parser of addresses drops tabs, line ends and turns backslashes: what reads differently than it acts is no link.
	if (!/^https?:\/\/[^/]/i.test(trimmed) || !isPlainAddress(trimmed)) return undefined;
	try {
		const url = new URL(trimmed);
		return url.username || url.password ? undefined : url;
	} catch {
		return undefined;
	}
}

/** A picture that is part of the text and therefore asks nobody. */
export function isImageDataUrl(address: string): boolean {
	return /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=]+$/i.test(address.trim());
}

/** Whether words promise another host than the address leads to: undefined when they name none. */
export function hostInText(words: string): string | undefined {
	const candidate = words.trim().replace(/[….,;:!?]+$/, "");
	const named = /^(?:https?:\/\/)?((?:[\p{L}\p{N}-]+\.)+[\p{L}]{2,}|localhost)(:\d+)?(?:[/?#].*)?$/iu.exec(candidate);
	if (!named) return undefined;
	try {
		return new URL(/^https?:/i.test(candidate) ? candidate : `https://${candidate}`).host;
	} catch {
		return undefined;
	}
}
