// Tests approvals stored under earlier rules: those still valid, outdated with a reason, or unreadable.
import assert from "node:assert/strict";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { revokeGrantRow } from "../../../src/session/approvals/grantRows.ts";
import { AT, allow, counts, edits, gitAdd, npmTest, rows, sweep, world } from "./grantsFixture.ts";

const cargoTest = { tool: "execute_command", class: "cargo test" };
const refuse = () => Promise.reject(new Error("No session"));

describe("approvals of before", () => {
	after(sweep);

	it("that the rules of today would not offer alike count for nothing, in whatever list they stand, and say why", async () => {
		const made = world();
		made.define("mine", "file");
		const grants = made.window();
		await allow(grants, "mine", cargoTest);
		await allow(grants, "mine", gitAdd);
		made.outdated.set("cargo test", "It does not say which files define what runs.");
		assert.deepEqual([await counts(grants, "mine", cargoTest), await counts(grants, "mine", gitAdd)], [false, true]);
		assert.deepEqual(
			(await rows(grants)).map(({ entry, ended, outdated }) => ({ entry, ended, outdated })),
			[
				{ entry: "execute_command(cargo test)", ended: "It does not say which files define what runs.", outdated: true },
				{ entry: "execute_command(git add)", ended: undefined, outdated: undefined },
			],
		);
		const bound = { ...cargoTest, scriptsHash: "h1", bound: ["Cargo.toml"] };
		assert.equal(await counts(grants, "mine", bound), false, "an entry of a card is not taken for one of the person's own");
		made.outdated.clear();
		await allow(grants, "mine", bound);
		assert.deepEqual([await counts(grants, "mine", bound), await counts(grants, "mine", cargoTest)], [true, false]);
	});

	it("that cannot be read are listed, count for nothing, and are removed one by one", async () => {
		const made = world();
		const good = { agent: "default", ...gitAdd, workspace: "shop", at: AT };
		made.write("grants.json", `[{"agent":"default","tool":7},${JSON.stringify(good)},{broken]`);
		made.write("agents/mine.json", { agentId: "mine", displayName: "MINE", allowedTools: [{ tool: "update_file" }, "create_file"] });
		made.define("mine", "file");
		const grants = made.window();
		assert.deepEqual([await counts(grants, "default", gitAdd), await counts(grants, "mine", edits)], [true, false]);
		const unreadable = (await rows(grants)).filter((row) => row.unreadable !== undefined);
		assert.deepEqual(
			unreadable.map(({ agentId, entry, ended }) => ({ agentId, entry, ended })),
			['{"tool":"update_file"}', '{"agent":"default","tool":7}', "{broken"].map((entry, index) => ({
				agentId: index === 0 ? "mine" : "",
				entry,
				ended: "This entry can't be read, so it allows nothing.",
			})),
		);
		for (const row of unreadable) await revokeGrantRow(grants, refuse, row);
		assert.deepEqual(
			(await rows(grants)).map(({ entry, unreadable: left }) => [entry, left]),
			[
				["execute_command(git add)", undefined],
				["create_file", undefined],
			],
		);
	});

	it("written by hand count for nothing beside a record that cannot be read, for it may be theirs", async () => {
		const made = world();
		made.define("mine", "file");
		made.write("agents/mine.json", { agentId: "mine", displayName: "MINE", allowedTools: ["update_file"] });
		assert.equal(await counts(made.window(), "mine", edits), true);
		made.write("grants.json", '[{"agent":"mine","tool":"update_file","class":7}]');
		assert.equal(await counts(made.window(), "mine", edits), false);
		assert.match((await rows(made.window())).find(({ entry }) => entry === "update_file")?.ended ?? "", /unknown what this entry allowed/);
	});

	it("are kept in full in a list that they cannot be written into, and count", async () => {
		const made = world();
		made.define("mine", "file");
		const grants = made.window();
		const line = {
			tool: "execute_command",
			class: `deno eval "${"x".repeat(1_200)}"`,
			scriptsHash: "h1",
			line: true,
			bound: ["/usr/bin/deno"],
		};
		const spaced = { ...line, class: "deno eval 'a  b'" };
		for (const one of [line, spaced]) {
			await allow(grants, "mine", one);
			assert.equal(await counts(grants, "mine", one), true);
			assert.equal(await counts(made.window("office"), "mine", one), false);
		}
		assert.equal(await counts(grants, "mine", { ...spaced, class: "deno eval 'a b'" }), false);
		assert.equal((made.read("agents/mine.json") as { allowedTools?: string[] }).allowedTools, undefined);
		for (const row of await rows(grants)) await grants.revoke(row.agentId, row.entry, row.workspace);
		assert.deepEqual(made.read("grants.json"), []);
	});

	it("of 0.1.0 are all listed, each with what it is", async () => {
		const made = world();
		cpSync("test/fixtures/storage-0.1.0", made.folder, { recursive: true });
		made.define("mine", "file");
		const grants = made.window("WORKSPACE");
		for (const name of ["cargo test", "make test", "cp", "touch", "find", "rustfmt"])
			made.outdated.set(name, "Not offered alike any more.");
		const listed = await rows(grants, undefined, "WORKSPACE");
		const told = (fits: (row: (typeof listed)[number]) => boolean) =>
			listed.filter(fits).map(({ agentId, entry }) => `${agentId} ${entry}`);
		assert.equal(listed.length, 13 + 7 + 3);
		assert.equal(told(({ unreadable }) => unreadable !== undefined).length, 4);
		assert.deepEqual(
			told(({ outdated, unreadable }) => outdated === true && unreadable === undefined),
			[
				"default execute_command(cargo test)",
				"default execute_command(make test)",
				"default execute_command(cp)",
				"default execute_command(touch)",
				"default execute_command(find)",
				"default execute_command(rustfmt)",
				"mine nonsense((",
			],
		);
		for (const one of [gitAdd, edits, { tool: "web_fetch", class: "https://example.org" }])
			assert.equal(await counts(grants, "default", one), true);
		assert.equal(await counts(grants, "default", npmTest()), false);
		assert.equal(await counts(grants, "default", cargoTest), false);
		await allow(grants, "default", npmTest(), "WORKSPACE");
		const before = readFileSync("test/fixtures/storage-0.1.0/grants.json", "utf8");
		const after = readFileSync(join(made.folder, "grants.json"), "utf8");
		for (const record of [
			'"class": 7,\n\t\t"agent"',
			'{ "tool": "execute_command", "class": "npm run lint", "agent": , "workspace": "WORKSPACE" }',
		]) {
			assert.deepEqual([before.includes(record), after.includes(record)], [true, true]);
		}
	});
});
