// What a command's result says of the sandbox it ran in: that it may have failed for its sake, and what it made where it may not.
import type { CommandView } from "../../core/events.ts";
import type { RunResult } from "../../core/ports/workspace.ts";

/** For the eye; undefined where it ran free. `shown` writes paths as people read them. */
export function sandboxView({ confined, ...result }: RunResult, shown: (path: string) => string): CommandView["sandbox"] {
	if (!confined) return undefined;
	const { kind, touched } = confined;
	return { kind, ...(isHindered(result) && { hindered: true as const }), ...(touched.length > 0 && { touched: touched.map(shown) }) };
}

/** Lines for the model. */
export function sandboxNotes(result: RunResult, shown: (path: string) => string): string[] {
	const { confined } = result;
	if (!confined) return [];
	const lines: string[] = [];
	if (confined.touched.length > 0) {
		const names = confined.touched.slice(0, NAMED).map(shown);
		if (confined.touched.length > NAMED) names.push(`${confined.touched.length - NAMED} more`);
		lines.push(`It made or replaced protected files, which only the person may allow: ${names.join(", ")}. Tell them.`);
	}
	if (isHindered(result)) {
		const reach = confined.kind === "read" ? "cannot write" : "writes in the workspace only, protected files excepted";
		const network = confined.network ? "" : " and has no network";
		lines.push(`It ran in a sandbox that ${reach}${network}: that may be why it failed. If so, call again with outsideSandbox: true.`);
	}
	return lines;
}

const NAMED = 10;

/** It failed by itself, and says so in the words in which the sandbox refuses. */
function isHindered({ exitCode, stopped, running, output }: RunResult): boolean {
	return !running && stopped === undefined && exitCode !== undefined && exitCode !== 0 && REFUSED.test(output);
}

const REFUSED = new RegExp(
	[
		...["read-only file system", "permission denied", "operation not permitted", "device or resource busy", "function not implemented"],
		...["\\bE(?:ROFS|ACCES|PERM|BUSY|XDEV|NETUNREACH|AI_AGAIN|NOTFOUND|CONNREFUSED|ADDRNOTAVAIL|AFNOSUPPORT|HOSTUNREACH)\\b"],
		...[
			"network is unreachable",
			"no route to host",
			"connection refused",
			"cannot assign requested address",
			"address family not supported",
		],
		...[
			"could ?n[o']t resolve",
			"temporary failure in name resolution",
			"name or service not known",
			"no address associated",
			"no such host",
		],
		...[
			"invalid cross-device link",
			"cannot allocate memory",
			"no usable sandbox",
			"failed to sign",
			"dubious ownership",
			"bwrap:",
			"sandbox-exec:",
		],
	].join("|"),
	"i",
);
