// Edits, told as folders: `before`, the call, and `after` or the words of the problem; every byte counts.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bench, filesOf, problemOf } from "./support.ts";

const fixtures = "test/fixtures/edits";

interface Call {
	tool: string;
	input: unknown;
	/** Files that this session read before. */
	read?: string[];
	/** What others wrote between the reading and the call. */
	meanwhile?: Record<string, string>;
}

describe("an edit", () => {
	for (const name of readdirSync(fixtures).filter((entry) => /^\d{3}_/.test(entry))) {
		it(name.slice(4).replaceAll("_", " "), () => check(join(fixtures, name)));
	}
});

async function check(folder: string): Promise<void> {
	const { root, call } = await bench(join(folder, "before"));
	try {
		const { tool, input, read = [], meanwhile = {} } = JSON.parse(await readFile(join(folder, "call.json"), "utf8")) as Call;
		for (const path of read) await call("read_file", { path });
		for (const [path, text] of Object.entries(meanwhile)) await writeFile(join(root, path), text);
		if (existsSync(join(folder, "after"))) {
			await call(tool, input);
			assert.deepEqual(await filesOf(root), await filesOf(join(folder, "after")));
			return;
		}
		const before = await filesOf(root);
		const problem = await problemOf(call(tool, input));
		assert.deepEqual(await filesOf(root), before);
		assert.equal(`${problem.message}\n`, await readFile(join(folder, "problem.txt"), "utf8"));
	} finally {
		await rm(root, { recursive: true });
	}
}
