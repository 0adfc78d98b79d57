// Between approval and write somebody swaps the folder for a link: nothing may ever be written outside.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bytes, place, straight } from "./support.ts";

/** Swaps folder and link as fast as it can until it is killed. */
const SWAPPER = `
const fs = require("node:fs");
const [folder, aside, outside] = process.argv.slice(1);
const attempt = (step) => { try { step(); return true; } catch { return false; } };
process.stdout.write("ready");
for (;;) {
	attempt(() => fs.renameSync(folder, aside));
	attempt(() => fs.symlinkSync(outside, folder));
	// A create that found no folder at all has made one.
	if (!attempt(() => fs.unlinkSync(folder))) attempt(() => fs.rmSync(folder, { recursive: true, force: true }));
	attempt(() => fs.renameSync(aside, folder));
}`;

describe("a folder that is swapped for a link while it is written to", () => {
	it("leads no write outside in a thousand tries", async () => {
		const at = place();
		const folder = at.path("sub");
		mkdirSync(folder);
		for (const where of [folder, at.outside]) writeFileSync(join(where, "known.txt"), "known\n");
		const base = await at.machine.version(join(folder, "known.txt"));
		assert.ok(base);
		const swapper = spawn(process.execPath, ["-e", SWAPPER, folder, at.path("aside"), at.outside], {
			stdio: ["ignore", "pipe", "inherit"],
		});
		await once(swapper.stdout, "data");
		let [written, refused] = [0, 0];
		try {
			for (let round = 0; round < 1_000; round += 1) {
				const [known, made] = [join(folder, "known.txt"), join(folder, `new-${round}.txt`)];
				const tries = [
					at.machine.apply([{ path: made, action: "create", content: bytes("inside\n") }], straight(made)),
					at.machine.apply([{ path: known, action: "update", content: bytes("known\n"), base }], straight(known)),
				];
				for (const outcome of await Promise.allSettled(tries)) {
					if (outcome.status === "fulfilled") written += 1;
					else if (/Nothing was changed\.$/.test(String(outcome.reason))) refused += 1;
					else throw outcome.reason;
				}
			}
		} finally {
			swapper.kill("SIGKILL");
			await once(swapper, "exit");
		}
		assert.deepEqual(readdirSync(at.outside), ["known.txt"]);
		assert.equal(readFileSync(join(at.outside, "known.txt"), "utf8"), "known\n");
		assert.equal(written + refused, 2_000);
		assert.ok(refused > 0, "the swapper never got in between");
		await at.dispose();
	});
});
