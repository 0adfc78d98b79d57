// Records of standing approvals: kept, taken back, and worth nothing when in doubt.
import assert from "node:assert/strict";
import { cp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { GrantRecord } from "../../../src/core/grant.ts";
import { StorageError } from "../../../src/core/ports/sessions.ts";
import { createGrantLists } from "../../../src/storage/approvals/grantLists.ts";
import { createGrantStore, type GrantStore } from "../../../src/storage/approvals/grantStore.ts";
import { nodeFileSystem } from "../../../src/storage/fileSystem.ts";
import { CREATED, cleanUp, failingFiles, newFolder } from "./support.ts";

const grant = (tool: string, covered: string, rest: Partial<GrantRecord> = {}): GrantRecord => ({
	agent: "default",
	tool,
	class: covered,
	workspace: "shop",
	at: CREATED,
	...rest,
});

const add = (store: GrantStore, one: GrantRecord) =>
	store.change("keep it", (all) => [...all.filter(({ tool, class: covered }) => tool !== one.tool || covered !== one.class), one]);
const drop = (store: GrantStore, name: string) =>
	store.change("Could not revoke the approval.", (all) => all.filter(({ tool }) => tool !== name));
const kept = async (store: GrantStore) => (await store.read()).grants;

/** Everything that the store tells of its file. */
async function readAll(store: GrantStore) {
	const { grants, unreadable, isWhole } = await store.read();
	return { grants, unreadable, whole: await isWhole() };
}

describe("records of standing approvals", () => {
	cleanUp();

	it("are kept and taken back, as every window sees at once", async () => {
		const folder = join(await newFolder(), "global");
		const [one, two] = [createGrantStore(folder), createGrantStore(folder)];
		assert.deepEqual(await readAll(one), { grants: [], unreadable: [], whole: true });
		await add(one, grant("execute_command", "npm test", { scriptsHash: "a", listed: true, place: "shop" }));
		assert.deepEqual(await kept(two), [grant("execute_command", "npm test", { scriptsHash: "a", listed: true, place: "shop" })]);
		await add(two, grant("execute_command", "npm test", { scriptsHash: "b" }));
		await add(two, grant("mcp__a__b", "hash", { agent: "other", external: true, written: true, definition: "d" }));
		assert.equal((await kept(one)).length, 2);
		await drop(one, "execute_command");
		assert.deepEqual(await kept(two), [grant("mcp__a__b", "hash", { agent: "other", external: true, written: true, definition: "d" })]);
		assert.equal((await stat(join(folder, "grants.json"))).mode & 0o077, 0);
	});

	it("given and taken back by several windows at once are neither lost nor revived", async () => {
		const folder = await newFolder();
		const stores = Array.from({ length: 4 }, () => createGrantStore(folder));
		await add(stores[0] as GrantStore, grant("gone", "gone"));
		await Promise.all([
			...stores.map((store, place) => add(store, grant("tool", `class ${place}`))),
			drop(stores[1] as GrantStore, "gone"),
		]);
		assert.deepEqual((await kept(stores[2] as GrantStore)).map((one) => one.class).sort(), ["class 0", "class 1", "class 2", "class 3"]);
		assert.deepEqual(await readdir(folder), ["grants.json"]);
	});

	it("in a damaged file count for nothing; the file is set aside and the person told, and as long as it lies there some are lost", async () => {
		for (const text of ["", "{", "{}", "null", '{"agent":"default","tool":"a","class":"a","workspace":"shop","at":""}']) {
			const folder = await newFolder();
			const store = createGrantStore(folder);
			const told: string[] = [];
			store.onHealth(({ ok, message }) => told.push(ok ? "ok" : (message as string)));
			await writeFile(join(folder, "grants.json"), text);
			assert.deepEqual(await readAll(store), { grants: [], unreadable: [], whole: false });
			assert.match(told.join(), /corrupted and no longer apply.*grants\.json\.corrupt/);
			assert.equal(await readFile(join(folder, "grants.json.corrupt"), "utf8"), text);
			await add(store, grant("update_file", "update_file"));
			assert.deepEqual([(await kept(store)).length, told.at(-1)], [1, "ok"]);
			assert.equal((await readAll(createGrantStore(folder))).whole, false);
			await rm(join(folder, "grants.json.corrupt"));
			assert.equal((await readAll(store)).whole, true);
		}
	});

	it("that are none take no other along, stay byte for byte, and are gone once the person discards them", async () => {
		const bad = [
			'{"agent":"default"}',
			'{"agent":"default","tool":"*","class":1,"workspace":"shop","at":""}',
			'{"agent":"default","tool":"a","class":"a","workspace":"shop","at":"","listed":"no"}',
			'{"agent":"default","tool":"a","class":"a","workspace":"shop","at":"","bound":"package.json"}',
			'{ "agent":"default",  "tool": , "class":"a" }',
			'{"agent":"default","tool":"a","class":"a","workspace":"shop"}}]',
			'"update_file, ]}',
			"null",
			"7",
			"// mine",
			'{"unknown":"\u00fcber \u{1f600}", "agent":"\u00a0"}\u00a0',
			'{"kind":"of later","agents":["default"]}',
		];
		const good = ["a", "b", "c"].map((name) => grant(name, name));
		for (const record of bad) {
			const folder = await newFolder();
			const path = join(folder, "grants.json");
			const [first, ...rest] = good.map((one) => JSON.stringify(one));
			await writeFile(path, `[${first}, ${record}\n,${rest.join(",")}]`);
			const store = createGrantStore(folder);
			const told: unknown[] = [];
			store.onHealth((health) => told.push(health));
			const { grants, unreadable, whole } = await readAll(store);
			assert.deepEqual([grants, whole, told], [good, false, []], record);
			assert.deepEqual(
				unreadable.map((text) => Buffer.from(text, "latin1").toString()),
				[record],
			);
			await add(store, grant("d", "d"));
			await drop(store, "b");
			const text = await readFile(path, "utf8");
			assert.ok(text.includes(record), text);
			const again = await createGrantStore(folder).read();
			assert.deepEqual([again.grants.map(({ tool }) => tool), again.unreadable], [["a", "c", "d"], unreadable], record);
			await store.discard("remove it", unreadable[0] as string);
			assert.deepEqual(await readAll(store), { grants: again.grants, unreadable: [], whole: true });
		}
	});

	it("behind one that is never closed are kept with it, however often the file is written again", async () => {
		const folder = await newFolder();
		const path = join(folder, "grants.json");
		const open = `{"agent":"default", "tool":"a", [\n\t${JSON.stringify(grant("b", "b"))}`;
		await writeFile(
			path,
			Buffer.concat([Buffer.from(`[${JSON.stringify(grant("a", "a"))},${open}`), Buffer.from([0xff, 0xfe]), Buffer.from("\n]\n")]),
		);
		const store = createGrantStore(folder);
		for (const name of ["x", "y", "z"]) await add(store, grant(name, name));
		const { grants, unreadable } = await createGrantStore(folder).read();
		assert.deepEqual(
			grants.map(({ tool }) => tool),
			["a", "x", "y", "z"],
		);
		assert.deepEqual(unreadable, [`${open}\xff\xfe`]);
		assert.ok((await readFile(path)).includes(Buffer.concat([Buffer.from(open), Buffer.from([0xff, 0xfe])])));
	});

	it("written by 0.1.0 are read, those that are none beside them", async () => {
		const folder = await newFolder();
		await cp("test/fixtures/storage-0.1.0", folder, { recursive: true });
		const { grants, unreadable } = await createGrantStore(folder).read();
		assert.deepEqual([grants.length, unreadable.length], [14, 3]);
		const before = await readFile(join(folder, "grants.json"), "utf8");
		await createGrantStore(folder).change("keep them", (all) => [...all]);
		const after = await readFile(join(folder, "grants.json"), "utf8");
		for (const record of unreadable) assert.deepEqual([before.includes(record), after.includes(record)], [true, true]);
		const lists = createGrantLists(join(folder, "agents"));
		const mine = { kind: "file", agentId: "mine", path: join(folder, "agents", "mine.json") } as const;
		assert.deepEqual(
			[(await lists.read(mine)).length, await lists.unreadable(mine), (await lists.read({ kind: "preferences" })).length],
			[6, ["7"], 13],
		);
	});

	it("that cannot be read or kept are not pretended", async () => {
		const folder = await newFolder();
		const failing = failingFiles("rename");
		const store = createGrantStore(folder, { files: failing.files });
		await add(store, grant("update_file", "update_file"));
		failing.code = "ENOSPC";
		await assert.rejects(add(store, grant("create_file", "create_file")), StorageError);
		await assert.rejects(drop(store, "update_file"), { code: "ENOSPC" });
		failing.code = undefined;
		assert.deepEqual(
			(await kept(store)).map(({ tool }) => tool),
			["update_file"],
		);
		const stat = () => Promise.reject(Object.assign(new Error("no"), { code: "EACCES" }));
		assert.deepEqual(await readAll(createGrantStore(folder, { files: { ...nodeFileSystem, stat } })), {
			grants: [],
			unreadable: [],
			whole: false,
		});
	});
});
