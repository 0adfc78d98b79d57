// Which addresses a fetch may reach: public ones, judged after parsing and after the name is resolved (S-54).
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { ToolError } from "../../core/ports/tool.ts";

/** Clouds' metadata services that lie among public or private addresses. */
const METADATA = new Set(["168.63.129.16", "100.100.100.200", "fd00:ec2::254"]);
/** What the world has handed out of IPv6. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR("2000::/3");

/** Throws ToolProblem unless the text is a plain http or https URL: what a person reads is where it goes. */
export function parseWebUrl(text: string, base?: URL): URL {
	if (/[\\\p{Cc}\p{Cf}\s]/u.test(text))
		throw new ToolError("The URL holds a backslash, a blank or an invisible character; it was not fetched.");
	let url: URL;
	try {
		url = new URL(text, base);
	} catch {
		throw new ToolError(`${text} is not a URL. Give a whole one, such as https://example.com/page.`);
	}
	if (url.protocol !== "http:" && url.protocol !== "https:") throw new ToolError("Only http and https URLs are fetched.");
	const authority = /^[a-z][a-z0-9+.-]*:\/*([^/?#]*)/i.exec(text)?.[1] ?? "";
	if (url.username !== "" || url.password !== "" || authority.includes("@")) {
		throw new ToolError("The URL holds a user name or password before an @; it was not fetched. Give it without.");
	}
	return url;
}

/** The host of a URL when it is an address already. */
export function literalAddress(url: URL): string | undefined {
	const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
	return isIP(host) === 0 ? undefined : host;
}

/** Neither private, link-local, loopback, metadata nor anything else that is not the public internet, IPv4 in IPv6 included. */
export function isPublicAddress(address: string): boolean {
	return addressKind(address) === "public";
}

/** `closed`: link-local, metadata, and whatever else nobody has a server at. */
export function addressKind(address: string): "public" | "private" | "loopback" | "closed" {
	if (!ipaddr.isValid(address)) return "closed";
	const parsed = ipaddr.process(address);
	if (METADATA.has(parsed.toString())) return "closed";
	const range = parsed.range();
	if (range === "loopback") return "loopback";
	if (range === "private" || range === "uniqueLocal" || range === "carrierGradeNat") return "private";
	if (range !== "unicast") return "closed";
	return parsed.kind() === "ipv4" || (parsed as ipaddr.IPv6).match(GLOBAL_UNICAST) ? "public" : "closed";
}
