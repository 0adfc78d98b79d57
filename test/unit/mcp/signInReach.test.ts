// Tests the addresses that an MCP sign-in may lead to, by the server's own address.
import assert from "node:assert/strict";
import { mayOpenSignInPage } from "../../../src/mcp/auth/oauthEgress.ts";
import { addressKind } from "../../../src/tools/web/webRequest.ts";

describe("Where a server may lead a sign-in", () => {
	const known: Record<string, string[]> = {
		"far.test": ["93.184.216.34"],
		"mixed.test": ["93.184.216.34", "10.0.0.5"],
		"near.test": ["10.0.0.5"],
		"here.test": ["127.0.0.1"],
		"link.test": ["169.254.10.10"],
		"meta.test": ["169.254.169.254"],
		"next.test": ["192.168.7.7"],
		"six.test": ["fd12::1"],
		"none.test": [],
	};
	const network = {
		resolveAddresses: async ({ hostname }: URL) =>
			(known[hostname] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
		classifyAddress: addressKind,
		request: () => assert.fail("nothing is asked"),
	};

	for (const [from, ...to] of [
		["far.test", "far.test"],
		["mixed.test", "far.test", "mixed.test"],
		["near.test", "far.test", "mixed.test", "near.test", "next.test", "six.test"],
		["here.test", "far.test", "mixed.test", "near.test", "here.test", "next.test", "six.test"],
		["link.test", "far.test", "link.test"],
		["none.test", "far.test"],
	] as [string, ...string[]][]) {
		it(`${known[from]?.join(" and ") || "nowhere"} may lead to ${to.join(", ")} alone`, async () => {
			const hosts = Object.keys(known);
			const may = await Promise.all(
				hosts.map((host) => mayOpenSignInPage(new URL(`https://${host}/in`), new URL(`https://${from}/mcp`), network)),
			);
			assert.deepEqual(
				hosts.filter((_, place) => may[place]),
				to,
			);
		});
	}
});
