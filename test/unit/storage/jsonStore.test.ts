// One JSON file that several windows change: nothing is lost, written over or half written.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StorageError } from "../../../src/core/ports/sessions.ts";
import { nodeFileSystem, parseJson, type StorageFileSystem } from "../../../src/storage/fileSystem.ts";
import { createJsonStore, type JsonStore, type JsonStoreOptions } from "../../../src/storage/json/jsonStore.ts";
import { cleanUp, failingFiles, newFolder } from "./support.ts";

const parse = (text: string): readonly number[] | undefined => {
	const value = parseJson(text);
	return Array.isArray(value) && value.every((entry) => typeof entry === "number") ? value : undefined;
};

function numbers(folder: string, options: Partial<JsonStoreOptions<readonly number[]>> = {}): JsonStore<readonly number[]> {
	return createJsonStore<readonly number[]>({ path: join(folder, "numbers.json"), empty: [], parse, ...options });
}

/** Real files that count how often one is read. */
function countingFiles(): { files: StorageFileSystem; reads: number } {
	const counting = { files: nodeFileSystem, reads: 0 };
	const readFile = ((...given: Parameters<typeof nodeFileSystem.readFile>) => {
		counting.reads += 1;
		return nodeFileSystem.readFile(...given);
	}) as typeof nodeFileSystem.readFile;
	counting.files = { ...nodeFileSystem, readFile };
	return counting;
}

describe("a JSON store", () => {
	cleanUp();

	it("is empty while there is no file, makes its folder, and shows every window the same", async () => {
		const folder = join(await newFolder(), "below", "it");
		const [one, other] = [numbers(folder), numbers(folder, { cached: true })];
		assert.deepEqual(await one.read(), []);
		assert.deepEqual(await one.update((all) => [...all, 1]), [1]);
		assert.deepEqual(await other.update((all) => [...all, 2]), [1, 2]);
		assert.deepEqual(
			[await one.read(), await other.read()],
			[
				[1, 2],
				[1, 2],
			],
		);
		assert.equal(await readFile(join(folder, "numbers.json"), "utf8"), "[\n\t1,\n\t2\n]\n");
	});

	it("loses no change of several windows at once, and leaves no lock behind", async () => {
		const folder = await newFolder();
		const windows = Array.from({ length: 5 }, () => numbers(folder));
		await Promise.all(windows.map((store, place) => store.update((all) => [...all, place])));
		assert.deepEqual([...(await numbers(folder).read())].sort(), [0, 1, 2, 3, 4]);
		assert.deepEqual(await readdir(folder), ["numbers.json"]);
	});

	it("writes nothing where a change gives the same value back", async () => {
		const folder = await newFolder();
		const path = join(folder, "numbers.json");
		await writeFile(path, "[ 1 ]");
		assert.deepEqual(await numbers(folder).update((all) => all), [1]);
		assert.equal(await readFile(path, "utf8"), "[ 1 ]");
	});

	it("sets a damaged file aside once it is read, where somebody is told", async () => {
		const folder = await newFolder();
		const told: string[] = [];
		const store = numbers(folder, { onDamage: () => told.push("damaged"), fallback: async () => [7] });
		await writeFile(join(folder, "numbers.json"), "[1, ");
		assert.deepEqual([await store.read(), told], [[7], ["damaged"]]);
		assert.deepEqual(await readdir(folder), ["numbers.json.corrupt"]);
		assert.equal(await readFile(join(folder, "numbers.json.corrupt"), "utf8"), "[1, ");
		assert.deepEqual([await store.read(), told.length], [[], 1]);
	});

	it("leaves a damaged file where it is until something is written, where nobody is told, and goes on from what stands in for it", async () => {
		const folder = await newFolder();
		const store = numbers(folder, { fallback: async () => [7] });
		await writeFile(join(folder, "numbers.json"), '["text"]');
		assert.deepEqual(await store.read(), [7]);
		assert.deepEqual(await readdir(folder), ["numbers.json"]);
		assert.deepEqual(await store.update((all) => [...all, 8]), [7, 8]);
		assert.deepEqual((await readdir(folder)).sort(), ["numbers.json", "numbers.json.corrupt"]);
		assert.equal(await readFile(join(folder, "numbers.json.corrupt"), "utf8"), '["text"]');
	});

	it("never sets aside what another window has put in place of a damaged file meanwhile", async () => {
		const folder = await newFolder();
		const path = join(folder, "numbers.json");
		const read = nodeFileSystem.readFile as (path: string, encoding: "utf8") => Promise<string>;
		const readFile = (async (name: string) => {
			const text = await read(name, "utf8");
			if (text === "{") await writeFile(path, "[5]");
			return text;
		}) as unknown as StorageFileSystem["readFile"];
		await writeFile(path, "{");
		const store = numbers(folder, { files: { ...nodeFileSystem, readFile }, onDamage: () => assert.fail("nothing was damaged") });
		assert.deepEqual(await store.read(), [5]);
		assert.deepEqual(await readdir(folder), ["numbers.json"]);
	});

	it("keeps the old file whole where a write fails, and says so", async () => {
		for (const call of ["open", "writeFile", "sync", "rename"] as const) {
			const folder = await newFolder();
			const failing = failingFiles(call, (path) => !path.endsWith(".lock"));
			const store = numbers(folder, { files: failing.files });
			await store.update(() => [1]);
			failing.code = "ENOSPC";
			const failed = store.update(() => [2], "Could not save the numbers.");
			await assert.rejects(
				failed,
				(error) => error instanceof StorageError && error.code === "ENOSPC" && error.message.startsWith("Could not save the numbers. "),
			);
			await assert.rejects(
				store.update(() => [2]),
				{ code: "ENOSPC", message: "injected ENOSPC" },
			);
			failing.code = undefined;
			assert.deepEqual([await store.read(), await readdir(folder)], [[1], ["numbers.json"]]);
		}
	});

	it("reads a file again only where it has changed, however often it is asked", async () => {
		const folder = await newFolder();
		const counting = countingFiles();
		const store = numbers(folder, { cached: true, files: counting.files });
		await writeFile(join(folder, "numbers.json"), "[1]");
		for (let time = 0; time < 3; time += 1) assert.deepEqual(await store.read(), [1]);
		assert.equal(counting.reads, 1);
		await writeFile(join(folder, "numbers.json"), "[2]");
		await utimes(join(folder, "numbers.json"), 1, 1);
		assert.deepEqual([await store.read(), counting.reads], [[2], 2]);
		await rm(join(folder, "numbers.json"));
		assert.deepEqual(await store.read(), []);
	});

	it("keeps every byte of what is no text, and makes no folder that must be there", async () => {
		const folder = await newFolder();
		const bytes = Buffer.from([0x31, 0xff, 0x00, 0xc3]);
		const path = join(folder, "own", "bytes");
		const store = createJsonStore({
			path,
			empty: "",
			parse: (text) => text,
			print: (text) => text,
			encoding: "latin1",
			makesFolder: false,
		});
		await assert.rejects(
			store.update((text) => `${text}2`),
			{ code: "ENOENT" },
		);
		await mkdir(join(folder, "own"));
		await writeFile(path, bytes);
		await store.update((text) => `${text}2`);
		assert.deepEqual(await readFile(path), Buffer.concat([bytes, Buffer.from("2")]));
	});
});
