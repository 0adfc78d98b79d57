// The milder tier: configuration, toolchains, wrappers and builds of other vendors, in every mode.

import assert from "node:assert/strict";
import { join } from "node:path";
import type { PathFacts, PathUse } from "../../../src/core/ports/tool.ts";
import type { ApprovalMode } from "../../../src/core/role.ts";
import { authorize } from "../../../src/gate/authorize.ts";
import { autoExecutedName } from "../../../src/gate/writeProtectedNames.ts";
import { type Asking, command, decide, file, grant, makeWorld, request, rules, tools } from "./world.ts";

const CONFIG = "vite.config.ts";

function write(path: string, asking: Asking = {}, more: Partial<PathFacts> = {}, use: PathUse = "write"): string {
	return decide({ tool: use === "create" ? tools.create : tools.update, paths: [file(path, use, more)], planRuns: true, ...asking });
}

describe("what runs by itself", () => {
	it("asks in the modes that let edits pass, and goes ahead where everything does", () => {
		const answers = (path: string) => (["ask", "plan", "edits", "auto"] as ApprovalMode[]).map((mode) => write(path, { mode }));
		assert.deepEqual(answers(CONFIG), ["ask", "ask", "ask", "allow"]);
		assert.deepEqual(answers("src/vite.ts"), ["ask", "allow", "allow", "allow"]);
	});

	it("says so in a sentence, offers nothing that lasts, and no approval of a whole tool answers it", () => {
		const grants = [grant("update_file", "update_file")];
		const verdict = authorize(request({ tool: tools.update, paths: [file(CONFIG, "write")], mode: "edits", grants }));
		assert.deepEqual(verdict, {
			decision: "ask",
			layer: "mode",
			reason: "vite.config.ts runs, or controls what runs, when the project is opened, built, or tested.",
			rule: CONFIG,
			grants: [],
		});
		assert.equal(write("src/a.ts", { mode: "ask", grants }), "allow");
	});

	it("goes ahead by a rule of the person", () => {
		assert.equal(write(CONFIG, { mode: "edits", rules: rules({ allow: ["update_file(*.config.ts)"] }) }), "allow");
	});

	it("goes ahead in a running plan whose step names exactly that path", () => {
		const named = (...planNames: string[]) => ({ mode: "plan" as const, planNames });
		assert.equal(write(CONFIG, named("/ws/vite.config.ts")), "allow");
		assert.equal(write(CONFIG, named("/ws/app/vite.config.ts", "/other/vite.config.ts", CONFIG)), "ask");
		assert.equal(write(CONFIG, { ...named("/ws/vite.config.ts"), planRuns: false }), "ask");
		assert.equal(write(CONFIG, { ...named("/ws/vite.config.ts"), mode: "edits" }), "ask");
		const both = [file(CONFIG, "write"), file("tsconfig.json", "write")];
		assert.equal(decide({ tool: tools.patch, paths: both, planRuns: true, ...named("/ws/vite.config.ts") }), "ask");
	});

	it("is what a link leads to, though the plan names the link", () => {
		const linked = { real: "/ws/vite.config.ts", realInside: CONFIG };
		assert.equal(write("notes.ts", { mode: "plan", planNames: ["/ws/notes.ts"] }, linked), "ask");
		assert.equal(write(CONFIG, { mode: "edits" }, { real: "/ws/notes.ts", realInside: "notes.ts" }), "ask");
	});

	it("counts for what commands write, whatever was approved for good, and offers nothing that lasts", async () => {
		const world = await makeWorld({ "ws/a.ts": "x", "ws/tpl/sub/eslint.config.js": "x", "ws/vite.config.ts": "x" });
		const ask = (text: string, asking: Asking = {}) =>
			command(world, text, {
				mode: "plan",
				planRuns: true,
				grants: ["cp", "mv", "tee", "touch"].map((name) => grant("execute_command", name)),
				...asking,
			});
		for (const text of ["cp a.ts eslint.config.js", "mv a.ts gradlew", "touch .nvmrc", "cp -r tpl/. .", "cp -r tpl other"]) {
			const verdict = await ask(text);
			assert.deepEqual([verdict.decision, verdict.grants], ["ask", []], `${text}: ${verdict.reason}`);
			assert.equal((await ask(text, { mode: "edits" })).decision, "ask", text);
			assert.equal((await ask(text, { mode: "auto" })).decision, "allow", text);
		}
		for (const text of ["cp a.ts b.ts", "mv a.ts c.ts", "touch b.ts"]) assert.equal((await ask(text)).decision, "allow", text);
		const planNames = [join(world.root, "ws/vite.config.ts")];
		assert.equal((await ask("cp a.ts vite.config.ts", { planNames })).decision, "allow");
		await world.dispose();
	});

	it("counts for a copy below its target only where that is or may be a folder", async () => {
		const world = await makeWorld({ "ws/vite.config.ts": "x", "ws/notes.txt": "x", "ws/docs/": "", "ws/a.ts": "x" });
		const { symlink } = await import("node:fs/promises");
		await symlink("docs", join(world.root, "ws/led"));
		const grants = ["cp", "install", "mkdir"].map((name) => grant("execute_command", name));
		const ask = async (text: string) => (await command(world, text, { mode: "edits", grants })).decision;
		for (const text of [
			"cp vite.config.ts notes.txt",
			"cp vite.config.ts new.txt",
			"install vite.config.ts new.txt",
			"ls && cp -b vite.config.ts new.txt",
		])
			assert.equal(await ask(text), "allow", text);
		const others = ["cp vite.config.ts docs", "cp vite.config.ts led", "cp vite.config.ts docs/", "cp vite.config.ts new/"];
		const meanwhile = [
			"mkdir new.txt && cp vite.config.ts new.txt",
			"cp vite.config.ts new.txt | mkdir new.txt",
			"cp -t new.txt vite.config.ts",
		];
		for (const text of [...others, ...meanwhile, "cd docs && cp ../vite.config.ts ."]) assert.equal(await ask(text), "ask", text);
		await world.dispose();
	});

	it("is a remote schema that comes into a file, and settings of tools in package.json", () => {
		assert.equal(write("data.json", { mode: "edits" }, { schemaChanged: true }), "ask");
		assert.equal(write("data.json", { mode: "auto" }, { schemaChanged: true }), "allow");
		assert.equal(write("package.json", { mode: "edits" }, { scriptsUnchanged: true }), "allow");
		assert.equal(write("package.json", { mode: "edits" }, { scriptsUnchanged: true, runsChanged: true }), "ask");
		assert.equal(write("package.json", { mode: "auto" }, { scriptsUnchanged: true, runsChanged: true }), "allow");
		assert.equal(write("package.json", { mode: "auto" }), "ask");
	});

	const names = [
		...["eslint.config.js", "eslint.config.mts", ".eslintrc", ".eslintrc.json", "packages/app/.eslintrc.cjs", "ESLint.Config.JS"],
		...[".prettierrc"],
		...["vite.config.ts", "vitest.config.mts", "vitest.workspace.ts", "jest.config.cjs", "webpack.config.js", "rollup.config.mjs"],
		...["babel.config.json", ".babelrc", "postcss.config.cjs", "tailwind.config.ts", "next.config.js", "nuxt.config.ts"],
		...["playwright.config.ts", "cypress.config.js", "karma.conf.js", "gulpfile.js", "Gruntfile.coffee", "tsconfig.json"],
		...["tsconfig.build.json"],
		...["pyproject.toml", "setup.py", "setup.cfg", "tests/conftest.py", "tox.ini", "noxfile.py", "pytest.ini", "sitecustomize.py", "x.pth"],
		...["Cargo.toml", "build.rs", ".cargo/config.toml", "build.gradle", "build.gradle.kts", "settings.gradle", "gradle.properties"],
		...["gradle/wrapper/gradle-wrapper.jar", "gradle/wrapper/gradle-wrapper.properties", "gradle/libs.versions.toml", "gradlew"],
		...["gradlew.bat"],
		...["mvnw", "mvnw.cmd", ".mvn/wrapper/maven-wrapper.properties", ".mvn/jvm.config", "pom.xml", "CMakeLists.txt", "cmake/x.cmake"],
		...["Makefile.am", "rules.mk", "Rakefile", "Gemfile", "x.gemspec", "mix.exs", "Directory.Build.props", "App.csproj", "App.sln"],
		...["composer.json", "phpunit.xml.dist", "Package.swift", "justfile", "Taskfile.yml", "BUILD", "pkg/BUILD.bazel", "WORKSPACE"],
		...["rust-toolchain", "rust-toolchain.toml", ".tool-versions", ".nvmrc", ".python-version", "mise.toml", ".mise.local.toml"],
		...["global.json", ".sdkmanrc", "flake.nix", ".config/mise.toml"],
		...[".gitlab-ci.yml", ".gitlab/ci/test.yml", ".circleci/config.yml", "azure-pipelines.yml", "azure-pipelines-pr.yml", "Jenkinsfile"],
		...[".travis.yml", "bitbucket-pipelines.yml", ".drone.yml", ".woodpecker.yml", ".woodpecker/a.yml", "appveyor.yml", "cloudbuild.yaml"],
		...[".buildkite/pipeline.yml", ".forgejo/workflows/x.yml", "netlify.toml", "renovate.json"],
		...["node_modules/.bin/tsc", "node_modules/x/index.js", ".venv/bin/python", ".yarn/releases/yarn.cjs", ".vscode-test.mjs"],
	];
	for (const name of names) it(`is ${name}`, () => assert.notEqual(autoExecutedName(name), undefined));

	const others = [
		...["src/app.ts", "src/app.config.ts", "src/auth.config.ts", "src/config.ts", "eslint.ts", "src/eslint/rules.ts", "vite.ts"],
		...["docs/vite.md"],
		...["build/index.js", "workspace/a.ts", "src/configure/index.tsx", "src/build/BUILD.ts", "data.json", "README.md", "requirements.txt"],
		...["Dockerfile", "docker-compose.yml", "go.mod", "go.sum", "package-lock.json", "src/setup.ts", "test/setup.ts", "src/main.rs"],
		...["scripts/run.sh", "src/gradle/a.ts", "src/ci/a.ts", "app.json", "package.json", ".gitignore", ".editorconfig", ".prettierignore"],
		...["src/node_modules.ts", "environment.ts", "", "."],
	];
	for (const name of others) it(`is not ${JSON.stringify(name)}`, () => assert.equal(autoExecutedName(name), undefined));
});
