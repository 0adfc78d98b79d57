// Tests the time that a model is told.
import assert from "node:assert/strict";
import type { ToolContext } from "../../../src/core/ports/tool.ts";
import { createCurrentTime } from "../../../src/tools/currentTime.ts";

/** It asks nothing of its turn. */
const context = {} as ToolContext;
const tool = createCurrentTime(() => new Date("2026-07-15T13:25:07Z"));
const ask = async (timezone?: string) => (await tool.run?.(timezone === undefined ? {} : { timezone }, context))?.output ?? "";

describe("the time", () => {
	it("is that of the zone that is named, with its name and offset", async () => {
		assert.equal(await ask("Europe/Lisbon"), "Wednesday, 15 July 2026, 14:25:07 (Europe/Lisbon, GMT+01:00)");
		assert.equal(await ask("Asia/Tokyo"), "Wednesday, 15 July 2026, 22:25:07 (Asia/Tokyo, GMT+09:00)");
	});

	it("is that of this computer without a zone", async () => {
		assert.ok((await ask()).includes(`(${Intl.DateTimeFormat().resolvedOptions().timeZone},`));
	});

	it("of an unknown zone is refused with what to use", async () => {
		await assert.rejects(ask("Moon/Tycho"), /There is no time zone "Moon\/Tycho"\. Use an IANA name/);
	});
});
