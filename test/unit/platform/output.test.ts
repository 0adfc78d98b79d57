// Tests stored command output: a size cap, head and tail for the model, pages on request.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CommandOutput } from "../../../src/platform/processes/commandOutput.ts";

describe("the output of a command", () => {
	let folder: string;
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "output-"));
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	async function outputOf(chunks: readonly (string | Buffer)[], limit?: number): Promise<CommandOutput> {
		const output = await CommandOutput.open("c-1", join(folder, "out"), limit);
		for (const chunk of chunks) await output.append(Buffer.from(chunk));
		return output;
	}

	it("is let go beyond the cap, counted, and still shown with its tail", async () => {
		const output = await outputOf(["a".repeat(40_000), "\n", "b".repeat(40_000), "\nlast\n"], 50_000);
		assert.deepEqual([output.totalBytes, output.keptBytes, readFileSync(join(folder, "out")).length], [80_007, 50_000, 50_000]);
		assert.match(
			output.text(),
			/\n\[\d+ bytes omitted here; the first 50000 bytes are kept: read_command_output with id "c-1" and offset \d+ shows them\]\n/,
		);
		assert.ok(output.text().endsWith("\nlast\n"));
		const { text, next } = await output.readPage(32_768);
		assert.equal(next, undefined);
		assert.ok(text.endsWith("\n[30007 further bytes were not kept]\n"));
		await output.remove();
	});

	it("is whole where it just fits, and counted to the byte where it does not", async () => {
		const fits = await outputOf(["x".repeat(32_768)]);
		assert.equal(fits.text(), "x".repeat(32_768));
		await fits.remove();
		const over = await outputOf(["x".repeat(32_769)]);
		const text = over.text();
		const [line, count] = /\n\[(\d+) bytes omitted[^\]]*\]\n/.exec(text) ?? [];
		assert.ok(line);
		assert.equal(text.length - line.length + Number(count), 32_769);
		await over.remove();
	});

	it("stays within its bound when bytes turn into longer characters, and with a notice at the end", async () => {
		const latin = Buffer.from(`${"word \xe9 word and more words ".repeat(3_000)}`, "latin1");
		const output = await outputOf([latin]);
		const text = output.text("\n[a notice]\n");
		assert.ok(Buffer.byteLength(text) <= 32_768 && text.endsWith("\n[a notice]\n"));
		await output.remove();
	});

	it("comes in pages that join to the whole, wherever they start", async () => {
		const whole = "zeile äöü 😀\n".repeat(8_000);
		const output = await outputOf([whole]);
		let text = "";
		for (let next: number | undefined = 0; next !== undefined; ) {
			const page: { text: string; next?: number } = await output.readPage(next);
			text += page.text;
			next = page.next;
		}
		assert.equal(text, whole);
		assert.ok(!(await output.readPage(8)).text.includes("\uFFFD"));
		assert.deepEqual(await output.readPage(10 ** 9), { text: "" });
		await output.remove();
	});

	it("never goes through a link or over a file that is there", async () => {
		symlinkSync(join(folder, "elsewhere"), join(folder, "out"));
		await assert.rejects(outputOf(["x"]), /EEXIST/);
	});
});
