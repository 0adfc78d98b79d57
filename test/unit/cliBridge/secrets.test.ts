// Tests that secrets are redacted from command output, and that waiting for the user does not count as runtime.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { redactStream } from "../../../src/platform/processes/commandOutput.ts";
import { createOutputStore } from "../../../src/platform/processes/outputStore.ts";
import { createProcesses } from "../../../src/platform/processes/processes.ts";
import { createPrograms } from "../../../src/platform/programs/programs.ts";

async function through(chunks: readonly string[], secrets: readonly string[]): Promise<string> {
	async function* source() {
		for (const chunk of chunks) yield Buffer.from(chunk);
	}
	const seen: Buffer[] = [];
	for await (const chunk of redactStream(source(), secrets)) seen.push(chunk);
	return Buffer.concat(seen).toString();
}

describe("output with a secret in it", () => {
	it("is seen without it, wherever the stream is cut", async () => {
		const text = "before abcabd after ababcabdab abcab";
		for (let first = 0; first <= text.length; first += 1) {
			for (let second = first; second <= text.length; second += 1) {
				const chunks = [text.slice(0, first), text.slice(first, second), text.slice(second)];
				assert.equal(await through(chunks, ["abcabd"]), "before [hidden] after ab[hidden]ab abcab");
			}
		}
	});

	it("is left as it is where there is none", async () => {
		assert.equal(await through(["a", "b"], []), "ab");
		assert.equal(await through(["a", "b"], [""]), "ab");
	});
});

describe("a command's time", () => {
	it("does not count what the command waits for the person", async () => {
		const folder = mkdtempSync(join(tmpdir(), "troupe-time-"));
		const programs = createPrograms({ folders: () => [], extraVariables: () => [], findRipgrep: async () => undefined });
		const processes = createProcesses({ outputStore: createOutputStore(join(folder, "out")), programs });
		const begun = Date.now();
		const options = { cwd: folder, signal: new AbortController().signal, timeout: 50 };
		const patient = await processes.run("sleep 0.6", { ...options, waited: () => Date.now() - begun });
		assert.equal(patient.exitCode, 0);
		const waitedOnce = await processes.run("sleep 60", { ...options, waited: () => 200 });
		assert.equal(waitedOnce.stopped, "timeout");
		await processes.dispose();
		rmSync(folder, { recursive: true, force: true });
	});
});
