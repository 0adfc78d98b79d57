// An address beside where it really leads.
import assert from "node:assert/strict";
import { formatAddress } from "../../../src/shared/safeText.ts";

describe("an address that a person is shown", () => {
	for (const [name, address, expected] of [
		["an ordinary one stays as it is", "https://example.com/api?a=b#c", "https://example.com/api?a=b#c"],
		["so does one with a port, the usual one too", "https://EXAMPLE.com:443/ ", "https://EXAMPLE.com:443/\\u{0020}"],
		["letters of another script have their ASCII form beside them", "https://еxample.org/x", "https://еxample.org/x (xn--xample-2of.org)"],
		["so have letters that are read as others", "https://ⓔxample.org", "https://ⓔxample.org (example.org)"],
		["a number has its address", "http://2130706433/", "http://2130706433/ (127.0.0.1)"],
		["percent signs have what they stand for", "https://a%2eexample.org/", "https://a%2eexample.org/ (a.example.org)"],
		[
			"a name before an @ is said to be refused",
			"https://github.com@evil.example/",
			"https://github.com@evil.example/ (addresses with a user name aren't allowed)",
		],
		["an invisible character is written out", "https://exam\u00adple.org/", "https://exam\\u{00ad}ple.org/ (example.org)"],
		["a line feed is, too", "https://exam\nple.org/", "https://exam\\u{000a}ple.org/ (example.org)"],
		["nobody makes our remarks for us", "https://evil.example/ (good.example)", "https://evil.example/\\u{0020}(good.example)"],
		["what is none is said to be none", "example.org", "example.org (not a valid address)"],
	] as const) {
		it(name, () => assert.equal(formatAddress(address), expected));
	}
});
