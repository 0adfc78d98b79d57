// Configures the Markdown parser for untrusted text: no raw HTML, and only web addresses are links.
import MarkdownIt from "markdown-it";
import { hasHidden, isPlainAddress } from "../../src/core/hiddenText.ts";

/** Raw HTML is shown as text. */
export const markdownParser = new MarkdownIt({ html: false, linkify: true, breaks: false });

markdownParser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
markdownParser.validateLink = (address) => parseWebUrl(address) !== undefined || isImageDataUrl(address) || isRelativePath(address);

/** A path in the workspace: no scheme, no host, not absolute. */
export function isRelativePath(address: string): boolean {
	const trimmed = address.trim();
	return !/^[a-z][a-z\d+.-]*:(?!\d+(?::\d+)?$)|^[/\\#?~]|\\/i.test(trimmed) && !hasHidden(trimmed, "selectors");
}

/** The parsed URL; undefined unless plainly http or https. */
export function parseWebUrl(address: string): URL | undefined {
	const trimmed = address.trim();
	// The URL parser removes tabs and line ends and converts backslashes, so such addresses would be misleading.
	if (!/^https?:\/\/[^/]/i.test(trimmed) || !isPlainAddress(trimmed)) return undefined;
	try {
		const url = new URL(trimmed);
		return url.username || url.password ? undefined : url;
	} catch {
		return undefined;
	}
}

/** An embedded image, which needs no request. */
export function isImageDataUrl(address: string): boolean {
	return /^data:image\/(?:png|jpeg|gif|webp);base64,[a-z0-9+/=]+$/i.test(address.trim());
}

/** The host that a link's text names; undefined if none. */
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
