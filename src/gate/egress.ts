// Where a call goes that leaves this machine, as it is remembered for the session.
import type { GateRequest } from "../core/ports/gate.ts";

/** The origin of an address, the hash of an outside tool's definition; undefined for what stays here. */
export function egressOf({ tool, url }: Pick<GateRequest, "tool" | "url">): string | undefined {
	if (url !== undefined) return originOf(url);
	return tool.external?.definitionHash;
}

/** Without the trailing dots of a host, in ASCII, so that one place has one name. */
export function originOf(url: string): string | undefined {
	if (!URL.canParse(url)) return undefined;
	const parsed = new URL(url);
	if (parsed.origin === "null") return undefined;
	const port = parsed.port === "" ? "" : `:${parsed.port}`;
	return `${parsed.protocol}//${parsed.hostname.replace(/\.+$/, "")}${port}`;
}
