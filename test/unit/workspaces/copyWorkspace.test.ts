// Tests copies as tasks use them: created, opened, used by tools, and removed.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ToolError } from "../../../src/core/ports/tool.ts";
import { how } from "../platform/support.ts";
import { type CopyYard, copyYard } from "./copySupport.ts";

describe("a copy for a task", () => {
	let at: CopyYard;
	const { signal } = new AbortController();
	beforeEach(async function () {
		this.timeout(30_000);
		at = await copyYard({ "src/a.txt": "one\n", ".gitignore": "dist\n.env\n", ".env": "KEY=1\n", "dist/out": "x" }, { second: true });
	});
	afterEach(() => at.dispose());

	it("has the workspace's folders by name, in a folder of our storage that only the user can enter", async () => {
		const copy = await at.open("t1");
		assert.deepEqual(
			copy.workspace.folders().map(({ name }) => name),
			["project", "library"],
		);
		for (const { path } of copy.workspace.folders()) assert.ok(path.startsWith(join(at.copiesFolder, "t1")), path);
		if (process.platform !== "win32") assert.equal(statSync(at.copiesFolder).mode & 0o777, 0o700);
		const facts = await Promise.all(["project/src/a.txt", "library/lib.txt"].map((path) => copy.gate.path(path, "write")));
		assert.deepEqual(
			facts.map(({ literalInside, guarded }) => [literalInside, guarded]),
			[
				["src/a.txt", undefined],
				["lib.txt", undefined],
			],
		);
	});

	it("leaves out what the gate protects from reading, and says so", async () => {
		mkdirSync(join(at.folder, "node_modules"), { recursive: true });
		writeFileSync(join(at.folder, ".env"), "KEY=1\n");
		writeFileSync(join(at.folder, "id_rsa"), "key");
		const { notes } = await at.copies.create("t1", signal);
		const copy = await at.copies.open("t1");
		assert.match(notes.join("\n"), /id_rsa/);
		const [folder] = copy?.workspace.folders() ?? [];
		assert.deepEqual(
			["src/a.txt", "id_rsa", ".env", "dist/out"].map((name) => existsSync(join(folder?.path ?? "", name))),
			[true, false, false, false],
		);
		await copy?.dispose();
	});

	it("is read, searched and changed by tools and commands, and the workspace stays as it is", async () => {
		const copy = await at.open("t1");
		const path = copy.path("src/a.txt");
		const base = await copy.workspace.version(path);
		assert.ok(base);
		await copy.workspace.apply([{ path, action: "update", content: Buffer.from("two\n"), base }], new Map([[path, path]]));
		const { matches } = await copy.workspace.search({ pattern: "two", limit: 10 }, signal);
		assert.deepEqual(
			matches.map((match) => match.path),
			[path],
		);
		assert.equal(readFileSync(join(at.folder, "src/a.txt"), "utf8"), "one\n");
		const { output } = await copy.workspace.run("cat src/a.txt", how(copy.folder));
		assert.equal(output, "two\n");
	});

	it("has no problems and symbols of an editor, and says what to do instead", async () => {
		const { workspace } = await at.open("t1");
		const said = async (promise: Promise<unknown>) => {
			const error = await promise.catch((reason: unknown) => reason);
			assert.ok(error instanceof ToolError);
			return error.message;
		};
		assert.match(await said(workspace.diagnostics()), /not available in a copy of the workspace\. .*execute_command/);
		assert.match(await said(workspace.symbols("x", signal)), /not available in a copy of the workspace\. .*search_code.*find_files/);
	});

	it("runs no program of the original without saying so", async () => {
		const program = at.put(join(at.folder, "bin", "frobnicate"), "#!/bin/sh\n");
		chmodSync(program, 0o755);
		const before = process.env["PATH"];
		process.env["PATH"] = `${dirname(program)}:${before}`;
		try {
			const { gate } = await at.open("t1");
			const { commands } = await gate.command("frobnicate all", "project");
			assert.match(commands[0]?.asks ?? "", /is a program in this workspace/);
			assert.equal(commands[0]?.class, undefined);
		} finally {
			process.env["PATH"] = before;
		}
	});

	it("ends its commands when it is closed, and can be opened again", async () => {
		const copy = await at.open("t1");
		const ended = new Promise<string | undefined>((resolve) => {
			void copy.workspace.run(
				"sleep 600",
				how(copy.folder, { background: true, onEnd: ({ stopped, signal: by }) => resolve(stopped ?? by) }),
			);
		});
		await copy.workspace.run("echo x > new.txt", how(copy.folder));
		await copy.dispose();
		assert.ok((await ended) !== undefined);
		const again = await at.copies.open("t1");
		assert.equal(readFileSync(join(again?.workspace.folders()[0]?.path ?? "", "new.txt"), "utf8"), "x\n");
		await again?.dispose();
	});

	it("is made anew where a window ended before the task could work in it", async () => {
		await at.copies.create("t1", signal);
		writeFileSync(join(at.folder, "src", "a.txt"), "two\n");
		const copy = await at.open("t1");
		assert.equal(readFileSync(copy.path("src/a.txt"), "utf8"), "two\n");
	});

	it("is gone once it was removed, and others stay", async () => {
		await Promise.all([at.open("t1"), at.open("t2")]);
		await at.copies.remove("t1");
		assert.equal(await at.copies.open("t1"), undefined);
		assert.equal(existsSync(join(at.copiesFolder, "t1")), false);
		const other = await at.copies.open("t2");
		assert.ok(other);
		await other.dispose();
		assert.equal(await at.copies.open("never"), undefined);
		assert.equal(await at.copies.open("../sessions"), undefined);
		await at.copies.remove("never");
	});
});
