// Tests that lasting approvals mean the same in a copy as in the workspace, and never reach out of it.
import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Gate, Grantable, Verdict } from "../../../src/core/ports/gate.ts";
import { type Asking, request, tools } from "../gate/world.ts";
import { type CopyYard, copyYard, git, type OpenedCopy } from "./copySupport.ts";

const FILES = {
	"package.json": '{"scripts":{"test":"node --test"}}\n',
	Makefile: "build:\n\techo built\n",
	"tools/run.sh": "#!/bin/sh\necho ran\n",
	"tools/make.mjs": "console.log(1)\n",
	"src/a.txt": "one\n",
	"pyproject.toml": "[tool.pytest.ini_options]\n",
};

describe("approvals in a copy", () => {
	let at: CopyYard;
	let copy: OpenedCopy;
	let other: OpenedCopy;
	beforeEach(async function () {
		this.timeout(30_000);
		at = await copyYard(FILES);
		for (const name of ["tools/run.sh"]) chmodSync(join(at.folder, name), 0o755);
		[copy, other] = await Promise.all([at.open("t1"), at.open("t2")]);
	});
	afterEach(() => at.dispose());

	const judge = async (gate: Gate, line: string, asking: Asking = {}, cwd?: string): Promise<Verdict> =>
		gate.authorize(request({ tool: tools.run, command: await gate.command(line, cwd), ...asking }));
	const grantsOf = async (gate: Gate, line: string, cwd?: string): Promise<readonly Grantable[]> =>
		gate.grantable({ tool: tools.run, paths: [], command: await gate.command(line, cwd) });
	const given = (grantables: readonly Grantable[]) =>
		grantables.map((grantable) => ({ ...grantable, agent: "default", workspace: "w", at: "2026-01-01T00:00:00Z" }));

	it("are bound to the real workspace", () => {
		assert.equal(copy.workspace.identity(), at.workspace.identity());
	});

	/** `@` stands for the folder that the command is in. */
	const LINES = [
		"npm test",
		"make build",
		"make -C @ build",
		"node tools/make.mjs",
		"node @/tools/make.mjs",
		"./tools/run.sh fast",
		"@/tools/run.sh fast",
		"frobnicate all",
		"frobnicate @/src/a.txt",
		"frobnicate --in=@/src --out '@/my dist'",
		"frobnicate 'open(\"@/src/a.txt\")'",
		"cat src/a.txt | frobnicate -",
		"frobnicate < @/src/a.txt",
		"cd src && frobnicate ../tools",
		"pytest @/src",
		"git commit -m x",
	];

	it("cover the same commands in the workspace and in every copy", async () => {
		for (const line of LINES) {
			const [real, inCopy, inOther] = await Promise.all(
				[at, copy, other].map(({ gate, folder }) => grantsOf(gate, line.replaceAll("@", folder))),
			);
			assert.notEqual(real?.length, 0, line);
			assert.deepEqual(inCopy, real, line);
			assert.deepEqual(inOther, real, line);
			const allowed = (gate: Gate, folder: string, grants: readonly Grantable[]) =>
				judge(gate, line.replaceAll("@", folder), { grants: given(grants) });
			assert.equal((await allowed(copy.gate, copy.folder, real ?? [])).decision, "allow", `${line} in the copy`);
			assert.equal((await allowed(at.gate, at.folder, inCopy ?? [])).decision, "allow", `${line} in the workspace`);
		}
	});

	it("end where the copy's files say something else", async () => {
		const changes = [
			["npm test", "package.json", '{"scripts":{"test":"node evil.mjs"}}'],
			["make build", "Makefile", "build:\n\tevil\n"],
			["node tools/make.mjs", "tools/make.mjs", "evil()"],
			["./tools/run.sh fast", "tools/run.sh", "evil"],
		] as const;
		for (const [line, file, content] of changes) {
			const grants = given(await grantsOf(at.gate, line));
			assert.equal((await judge(copy.gate, line, { grants })).decision, "allow", line);
			writeFileSync(copy.path(file), content);
			assert.equal((await judge(copy.gate, line, { grants })).decision, "ask", line);
			assert.equal((await judge(at.gate, line, { grants })).decision, "allow", line);
			assert.equal((await judge(other.gate, line, { grants })).decision, "allow", line);
		}
		git(copy.folder, "config", "filter.x.clean", "evil");
		const commit = given(await grantsOf(at.gate, "git commit -m x"));
		assert.equal((await judge(copy.gate, "git commit -m x", { grants: commit })).decision, "ask");
		assert.equal((await judge(other.gate, "git commit -m x", { grants: commit })).decision, "allow");
	});

	it("never let a copy reach the workspace that it is a copy of, which asks each time", async () => {
		const lines = [
			`frobnicate ${at.folder}/src/a.txt`,
			`frobnicate --in=${at.folder}`,
			`frobnicate 'open("${at.folder}/src/a.txt", "w")'`,
			`frobnicate 'open("${at.folder.toUpperCase()}/src/a.txt", "w")'`,
			`node ${at.folder}/tools/make.mjs`,
			`${at.folder}/tools/run.sh fast`,
			`make -C ${at.folder} build`,
			`pytest ${at.folder}/src`,
			`npm --prefix ${at.folder} test`,
			`cd ${at.folder} && frobnicate all`,
			`cat ${at.folder}/src/a.txt | frobnicate -`,
		];
		for (const line of lines) {
			const grants = given(await grantsOf(at.gate, line));
			assert.deepEqual(await grantsOf(copy.gate, line), [], line);
			const verdict = await judge(copy.gate, line, { grants, mode: "auto" });
			assert.deepEqual([verdict.decision, verdict.grants], ["ask", []], line);
			const cautious = await judge(copy.gate, line, { grants, mode: "auto", canAsk: false });
			assert.equal(cautious.decision, "deny", line);
		}
	});

	it("never let one copy reach another one", async () => {
		for (const line of [`frobnicate ${other.folder}/src/a.txt`, `node ${other.folder}/tools/make.mjs`, `make -C ${other.folder} build`]) {
			const grants = given([...(await grantsOf(other.gate, line)), ...(await grantsOf(copy.gate, line))]);
			assert.equal((await judge(copy.gate, line, { grants })).decision, "ask", line);
		}
	});

	it("of a tool that changes files hold in both", async () => {
		const grants = given([{ tool: "update_file", class: "update_file" }]);
		for (const gate of [at.gate, copy.gate]) {
			const paths = [await gate.path("src/a.txt", "write")];
			assert.equal(gate.authorize(request({ tool: tools.update, paths, grants })).decision, "allow");
			assert.deepEqual(gate.grantable({ tool: tools.update, paths }), [{ tool: "update_file", class: "update_file" }]);
		}
	});
});
