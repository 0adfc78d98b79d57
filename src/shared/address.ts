// Shows an address with the host that it really leads to beside the name that is read.
import { t } from "./l10n.ts";
import { type Segment, segmentLine } from "./safeText.ts";

/** The address to the byte, blanks written out, and after it in parentheses what a look at it does not tell. */
export function segmentAddress(address: string): Segment[] {
	const written = address.split(" ").flatMap((part, index) => [...(index > 0 ? [SPACE] : []), ...segmentLine(part, { blanks: true })]);
	const facts = factsOf(address);
	return facts.length === 0 ? written : [...written, { kind: "note", text: ` (${facts.join(", ")})` }];
}

/** The same as plain text. */
export function formatAddress(address: string): string {
	return segmentAddress(address)
		.map(({ text }) => text)
		.join("");
}

/** No address has a space: what stands behind one is our own remark. */
const SPACE: Segment = { kind: "escape", text: "\\u{0020}" };

function factsOf(address: string): string[] {
	if (!URL.canParse(address)) return [t("not an address")];
	const { host, username, password } = new URL(address);
	const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(address)?.[1] ?? "";
	const named = authority.slice(authority.lastIndexOf("@") + 1).toLowerCase();
	return [
		...(host === named || `${host}:${usualPort(address)}` === named ? [] : [host]),
		...(username !== "" || password !== "" || authority.includes("@") ? [t("a user name in an address is refused")] : []),
	];
}

function usualPort(address: string): number {
	return /^https:/i.test(address) ? 443 : 80;
}
