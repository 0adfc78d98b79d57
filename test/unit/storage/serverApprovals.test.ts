// Tests stored approvals of MCP servers: shared by every window, and void in doubt.
import assert from "node:assert/strict";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StorageError } from "../../../src/core/ports/sessions.ts";
import { createServerApprovals } from "../../../src/storage/approvals/serverApprovals.ts";
import { cleanUp, failingFiles, newFolder } from "./support.ts";

describe("approvals of servers", () => {
	cleanUp();

	it("are kept by hash with what was shown, replaced by a newer one, and forgotten, as every window sees at once", async () => {
		const folder = join(await newFolder(), "global");
		const [one, two] = [createServerApprovals(folder), createServerApprovals(folder)];
		assert.equal(await one.approvedHash("docs"), undefined);
		await one.approve("docs", "a", ["npx docs"]);
		assert.deepEqual([await two.approvedHash("docs"), await two.lastApprovedLines("docs")], ["a", ["npx docs"]]);
		await two.approve("docs", "b", ["npx docs@2"]);
		await two.approve("other", "x", []);
		assert.deepEqual([await one.approvedHash("docs"), await one.lastApprovedLines("docs")], ["b", ["npx docs@2"]]);
		await one.forget("docs");
		assert.deepEqual(
			[await two.approvedHash("docs"), await two.lastApprovedLines("docs"), await two.approvedHash("other")],
			[undefined, undefined, "x"],
		);
		assert.equal((await stat(join(folder, "servers.json"))).mode & 0o077, 0);
	});

	it("that were refused for good stay refused for that hash alone, until approved or forgotten", async () => {
		const store = createServerApprovals(await newFolder());
		await store.approve("docs", "a", []);
		await store.refuse("docs", "b");
		assert.deepEqual(
			[await store.approvedHash("docs"), await store.isRefused("docs", "b"), await store.isRefused("docs", "c")],
			["a", true, false],
		);
		await store.refuse("docs", "a");
		assert.equal(await store.approvedHash("docs"), undefined);
		await store.approve("docs", "b", []);
		assert.deepEqual([await store.isRefused("docs", "b"), await store.isRefused("docs", "a")], [false, true]);
		await store.forget("docs");
		assert.equal(await store.isRefused("docs", "a"), false);
	});

	it("remember the last fifty refusals of a server", async () => {
		const store = createServerApprovals(await newFolder());
		const hashes = Array.from({ length: 51 }, (_, number) => `hash-${number}`);
		for (const hash of hashes) await store.refuse("docs", hash);
		const left = await Promise.all(hashes.map((hash) => store.isRefused("docs", hash)));
		assert.deepEqual(left, [false, ...Array<boolean>(50).fill(true)]);
	});

	it("say which tools only read, for exactly the definition that was marked", async () => {
		const folder = await newFolder();
		const store = createServerApprovals(folder);
		await store.approve("docs", "a", []);
		await store.setReadOnlyTools("docs", ["find", "list", "write"], { find: "1", list: "2" });
		assert.deepEqual(
			[["find", "1"] as const, ["find", "other"] as const, ["write", "1"] as const, ["constructor", "1"] as const].map(([tool, hash]) =>
				store.isReadOnly("docs", tool, hash),
			),
			[true, false, false, false],
		);
		assert.equal(store.readOnlyHash("docs", "find"), "1");
		assert.equal(store.isReadOnly("other", "find", "1"), false);
		const later = createServerApprovals(folder);
		assert.equal(later.isReadOnly("docs", "find", "1"), false, "nothing counts before the disk was read");
		await later.refresh();
		assert.equal(later.isReadOnly("docs", "find", "1"), true);
		await store.setReadOnlyTools("docs", ["find"], {});
		assert.deepEqual([store.isReadOnly("docs", "find", "1"), store.isReadOnly("docs", "list", "2")], [false, true]);
		assert.equal(await store.approvedHash("docs"), "a");
	});

	it("given by several windows at once are not lost", async () => {
		const folder = await newFolder();
		const stores = Array.from({ length: 4 }, () => createServerApprovals(folder));
		await Promise.all(stores.map((store, place) => store.approve(`server${place}`, "a", [])));
		for (const place of [0, 1, 2, 3]) assert.equal(await stores[0]?.approvedHash(`server${place}`), "a");
		assert.deepEqual(await readdir(folder), ["servers.json"]);
	});

	it("in a damaged file count for nothing; the file is set aside and the person told", async () => {
		for (const text of ["", "{", "[]", '{"docs":{"approved":"a"}}', '{"docs":{"approved":1,"never":[],"readOnly":{}}}']) {
			const folder = await newFolder();
			const store = createServerApprovals(folder);
			const told: string[] = [];
			store.onHealth(({ ok, message }) => told.push(ok ? "ok" : (message as string)));
			await writeFile(join(folder, "servers.json"), text);
			assert.equal(await store.approvedHash("docs"), undefined);
			assert.match(told.join(), /corrupted, so no server is approved.*servers\.json\.corrupt/);
			assert.equal(await readFile(join(folder, "servers.json.corrupt"), "utf8"), text);
			await store.approve("docs", "a", []);
			assert.deepEqual([await store.approvedHash("docs"), told.at(-1)], ["a", "ok"]);
		}
	});

	it("are of one workspace where they say so, and are all forgotten with the server", async () => {
		const store = createServerApprovals(await newFolder());
		for (const key of ["docs", "docs /a b", "docs /c", "docs2"]) await store.approve(key, "x", []);
		await store.approve("docs /c", "y", []);
		assert.deepEqual([await store.approvedHash("docs /a b"), await store.approvedHash("docs /c")], ["x", "y"]);
		await store.forget("docs");
		const left = await Promise.all(["docs", "docs /a b", "docs /c", "docs2"].map((key) => store.approvedHash(key)));
		assert.deepEqual(left, [undefined, undefined, undefined, "x"]);
	});

	it("and what their tools were are gone with the server, and with another approval", async () => {
		const folder = await newFolder();
		const store = createServerApprovals(folder);
		const tool = (hash: string) => new Map([["find", { hash, description: "", inputSchema: "{}", annotations: "" }]]);
		const met = async (key: string) => (await store.tools.getKnownTools(key, "x", tool("new"))).get("find")?.hash;
		for (const key of ["docs", "docs /a", "other"]) {
			await store.approve(key, "x", []);
			await store.tools.getKnownTools(key, "x", tool("old"));
		}
		assert.deepEqual([await met("docs"), await met("docs /a"), await met("other")], ["old", "old", "old"]);
		await store.approve("docs /a", "x", []);
		assert.equal(await met("docs /a"), "new");
		await store.retainOnly(["docs"]);
		assert.deepEqual(
			[await store.approvedHash("docs"), await store.approvedHash("docs /a"), await store.approvedHash("other")],
			["x", "x", undefined],
		);
		assert.equal((await readdir(join(folder, "serverTools"))).length, 2);
		assert.deepEqual([await met("docs"), await met("other")], ["old", "new"]);
	});

	it("keep no more of their tools than is bounded, and never forget one for another", async () => {
		const folder = await newFolder();
		const logged: string[] = [];
		const { tools } = createServerApprovals(folder, { log: (line) => logged.push(line) });
		const many = (from: number, count: number) =>
			new Map(
				Array.from({ length: count }, (_, n) => [
					`tool_${from + n}`,
					{ hash: String(from + n), description: "d".repeat(8_192), inputSchema: "{}", annotations: "" },
				]),
			);
		await tools.getKnownTools("docs", "x", many(0, 1_000));
		assert.deepEqual(logged, []);
		const known = await tools.getKnownTools("docs", "x", many(1_000, 1_001));
		assert.deepEqual([known.size, known.has("tool_0"), known.has("tool_1999"), known.has("tool_2000")], [2_000, true, true, false]);
		assert.match(logged.join(), /more than 2000 tools: 1 of them stay off/);
		const [file = ""] = await readdir(join(folder, "serverTools"));
		assert.ok((await stat(join(folder, "serverTools", file))).size < 3 * 1_048_576);
		const again = await createServerApprovals(folder).tools.getKnownTools("docs", "x", new Map());
		assert.deepEqual(
			[again.get("tool_0")?.description.length, again.get("tool_1999")?.description, again.get("tool_1999")?.hash],
			[8_192, "", "1999"],
		);
	});

	it("that cannot be kept are not pretended", async () => {
		const folder = await newFolder();
		const failing = failingFiles("rename");
		const store = createServerApprovals(folder, { files: failing.files });
		await store.setReadOnlyTools("docs", ["find"], { find: "1" });
		failing.code = "ENOSPC";
		await assert.rejects(store.approve("docs", "a", []), StorageError);
		await assert.rejects(store.setReadOnlyTools("docs", ["find"], { find: "2" }), { code: "ENOSPC" });
		assert.equal(await store.approvedHash("docs"), undefined);
		failing.code = undefined;
		assert.deepEqual([await store.approvedHash("docs"), store.isReadOnly("docs", "find", "2")], [undefined, false]);
	});
});
