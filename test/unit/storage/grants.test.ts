// Standing approvals: kept, taken back, and worth nothing when in doubt.
import assert from "node:assert/strict";
import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Grant } from "../../../src/core/gate.ts";
import { StorageError } from "../../../src/core/ports.ts";
import { createGrantStore } from "../../../src/storage/grants.ts";
import { CREATED, cleanUp, failingFiles, newFolder } from "./support.ts";

const grant = (tool: string, covered: string, rest: Partial<Grant> = {}): Grant => ({
	agent: "default",
	tool,
	class: covered,
	workspace: "shop",
	at: CREATED,
	...rest,
});

describe("standing approvals", () => {
	cleanUp();

	it("are kept for an agent, replaced by a newer one, and taken back, as every window sees at once", async () => {
		const folder = join(await newFolder(), "global");
		const [one, two] = [createGrantStore(folder), createGrantStore(folder)];
		assert.deepEqual(await one.list("default"), []);
		await one.add(grant("execute_command", "npm test", { scriptsHash: "a" }));
		await two.add(grant("execute_command", "npm test", { scriptsHash: "b" }));
		await two.add(grant("update_file", "update_file", { agent: "other" }));
		assert.deepEqual(await one.list("default"), [grant("execute_command", "npm test", { scriptsHash: "b" })]);
		assert.equal((await one.list()).length, 2);
		await one.revoke(grant("execute_command", "npm test"));
		assert.deepEqual(await two.list("default"), []);
		assert.deepEqual(await two.list("other"), [grant("update_file", "update_file", { agent: "other" })]);
		assert.equal((await stat(join(folder, "grants.json"))).mode & 0o077, 0);
	});

	it("given and taken back by several windows at once are neither lost nor revived", async () => {
		const folder = await newFolder();
		const stores = Array.from({ length: 4 }, () => createGrantStore(folder));
		await stores[0]?.add(grant("tool", "gone"));
		await Promise.all([
			...stores.map((store, place) => store.add(grant("tool", `class ${place}`))),
			stores[1]?.revoke(grant("tool", "gone")),
		]);
		assert.deepEqual((await stores[2]?.list())?.map((kept) => kept.class).sort(), ["class 0", "class 1", "class 2", "class 3"]);
		assert.deepEqual(await readdir(folder), ["grants.json"]);
	});

	it("in a damaged file count for nothing; the file is set aside and the person told, until a new one is kept", async () => {
		for (const text of [
			"",
			"{",
			"{}",
			"null",
			'[{"agent":"default"}]',
			'[{"agent":"default","tool":"*","class":1,"workspace":"shop","at":""}]',
		]) {
			const folder = await newFolder();
			const store = createGrantStore(folder);
			const told: string[] = [];
			store.onHealth(({ ok, message }) => told.push(ok ? "ok" : (message as string)));
			await writeFile(join(folder, "grants.json"), text);
			assert.deepEqual(await store.list("default"), []);
			assert.match(told.join(), /damaged and none of them counts.*grants\.json\.corrupt/);
			assert.equal(await readFile(join(folder, "grants.json.corrupt"), "utf8"), text);
			await store.add(grant("update_file", "update_file"));
			assert.deepEqual([(await store.list("default")).length, told.at(-1)], [1, "ok"]);
		}
	});

	it("that cannot be kept are not pretended", async () => {
		const folder = await newFolder();
		const failing = failingFiles("rename");
		const store = createGrantStore(folder, { files: failing.files });
		await store.add(grant("update_file", "update_file"));
		failing.code = "ENOSPC";
		await assert.rejects(store.add(grant("create_file", "create_file")), StorageError);
		await assert.rejects(store.revoke(grant("update_file", "update_file")), /Could not take the approval back\. The disk is full/);
		failing.code = undefined;
		assert.deepEqual(
			(await store.list("default")).map(({ tool }) => tool),
			["update_file"],
		);
	});
});
