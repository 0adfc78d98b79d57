// Tests elapsed times, short for lists and spoken for screen readers.
import assert from "node:assert/strict";
import { setLanguage } from "../../../src/shared/l10n.ts";
import { formatRelativeTime, formatSpokenTime } from "../../../src/shared/relativeTime.ts";

const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000 - 1_000).toISOString();

describe("the time since something changed", () => {
	afterEach(() => setLanguage("en"));

	it("is told in the largest unit that fits", () => {
		assert.deepEqual(
			[0, 1, 59, 60, 24 * 60, 8 * 24 * 60].map((minutes) => formatRelativeTime(ago(minutes))),
			[undefined, "1 min", "59 min", "1 h", "1 d", "1 w"],
		);
	});

	it("is a whole phrase for a screen reader, in the editor's language", () => {
		assert.deepEqual(
			[0, 1, 150].map((minutes) => formatSpokenTime(ago(minutes))),
			["now", "1 minute ago", "2 hours ago"],
		);
		setLanguage("de");
		assert.equal(formatSpokenTime(ago(150)), "vor 2 Stunden");
	});
});
