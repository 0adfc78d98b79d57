// For how long the person has been in the window, whatever in it has the focus.
import assert from "node:assert/strict";
import { createUserPresence } from "../../../src/channels/userPresence.ts";

function at() {
	const clock = { now: 1_000 };
	const presence = createUserPresence(() => clock.now);
	return { presence, later: (milliseconds: number) => (clock.now += milliseconds) };
}

describe("the time in the window", () => {
	it("goes on while the focus moves between the window and a page, whoever tells first", () => {
		const { presence, later } = at();
		presence.is("window", true);
		later(5_000);
		presence.is("window", false);
		later(20);
		presence.is("page", true);
		later(5_000);
		presence.is("page", false);
		later(20);
		presence.is("window", true);
		assert.equal(presence.since(), 0);
		later(5_000);
		presence.is("page", true);
		presence.is("window", false);
		later(5_000);
		presence.is("window", true);
		presence.is("page", false);
		assert.equal(presence.since(), 0);
	});

	it("lasts while the window or a page of it has the focus", () => {
		const { presence } = at();
		assert.equal(presence.isHere(), false);
		presence.is("window", true);
		presence.is("page", true);
		presence.is("window", false);
		assert.equal(presence.isHere(), true);
		presence.is("page", false);
		assert.equal(presence.isHere(), false);
	});

	it("begins anew where the person was elsewhere, and comes back by the window or by a page", () => {
		for (const by of ["window", "page"]) {
			const { presence, later } = at();
			presence.is("window", true);
			presence.is("page", true);
			presence.is("window", false);
			presence.is("page", false);
			later(300);
			presence.is(by, true);
			assert.equal(presence.since(), 1_300, by);
		}
	});
});
