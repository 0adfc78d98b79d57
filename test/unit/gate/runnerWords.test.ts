// Tests arguments that would extend a lasting approval: grouped flags, single-dash flags and shell text.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Grant } from "../../../src/core/ports/gate.ts";
import { assessVersionFlag } from "../../../src/gate/programs/lookup.ts";
import { call, kindOf } from "./judged.ts";
import { command, makeWorld, type World } from "./world.ts";

const files = {
	"ws/package.json": '{ "scripts": { "test": "true" } }',
	"ws/evil.js": "1\n",
	"ws/a.test.ts": "1\n",
};

describe("an approval for good of a program that runs what a project defines", () => {
	let world: World;
	before(async () => {
		world = await makeWorld(files);
	});
	after(() => world.dispose());

	async function covers(plain: string, line: string): Promise<boolean> {
		const { grants } = await command(world, plain);
		assert.equal(grants.length, 1, plain);
		const kept = grants.map((one): Grant => ({ ...one, agent: "default", workspace: "w", at: "2026-01-01T00:00:00Z" }));
		assert.equal((await command(world, plain, { grants: kept })).decision, "allow", plain);
		return (await command(world, line, { grants: kept })).decision === "allow";
	}

	const beyond: [plain: string, line: string][] = [
		["jest", "jest -tc evil.js"],
		["vitest run", "vitest run -tc evil.js"],
		["mocha", "mocha -gr evil.js"],
		["vite build", "vite build -mc evil.js"],
		["tsc", "tsc --incremental -tsBuildInfoFile AGENTS.md"],
		["tsc", "tsc -outDir .vscode"],
		["dotnet build", "dotnet build -logger:./evil.dll"],
		["dotnet build", "dotnet build -verbosity:q -flp:logfile=AGENTS.md"],
		["rspec", "rspec -f ./evil"],
		["rspec", "rspec --format=evil/formatter"],
		["bun test", "bun test --preload ./evil.js"],
		["bun test", "bun test -r ./evil.js"],
		["bun test", "bun test -tr ./evil.js"],
		["npm test", "npm test -- '$(touch x)'"],
		["pnpm test", "pnpm test '`touch x`'"],
		["pnpm test", "pnpm test '; touch x'"],
		["yarn test", `yarn test 'a" && touch x "'`],
		["python -m unittest", "python -m unittest --x"],
	];
	for (const [plain, line] of beyond) it(`does not cover ${line}`, async () => assert.equal(await covers(plain, line), false));

	const same: [plain: string, line: string][] = [
		["jest", "jest -t 'adds numbers' -w 2"],
		["vitest run", "vitest run -t adds"],
		["tsc", "tsc --noEmit -t es2022"],
		["dotnet test", "dotnet test -c Release --logger trx"],
		["rspec", "rspec -f documentation"],
		["bun test", "bun test a.test.ts --timeout 500 -t adds"],
		["npm test", "npm test -- src/a.test.ts"],
		["python -m unittest", "python -m unittest discover -s tests -v"],
		["python3 -m mypy src", "python3 -m mypy --strict src"],
	];
	for (const [plain, line] of same) it(`covers ${line}`, async () => assert.equal(await covers(plain, line), true));

	it("of a module ends where a file of the workspace takes its name", async () => {
		const line = "python -m mypy src";
		const { grants } = await command(world, line);
		const kept = grants.map((one): Grant => ({ ...one, agent: "default", workspace: "w", at: "2026-01-01T00:00:00Z" }));
		assert.equal((await command(world, line, { grants: kept })).decision, "allow");
		await mkdir(dirname(join(world.root, "ws/mypy/__main__.py")), { recursive: true });
		await writeFile(join(world.root, "ws/mypy/__main__.py"), "import os\n");
		assert.equal((await command(world, line, { grants: kept })).decision, "ask");
	});
});

it("what a program is asked for its version with is known in the ways that people use", () => {
	const kind = (line: string) => {
		const found = assessVersionFlag(call(line));
		return found && kindOf(found);
	};
	assert.equal(kind("perl -v"), "reads");
	for (const line of ["php -v", "mvn -v", "gradle -v", "composer --version"]) assert.equal(kind(line), "sandboxed", line);
});
