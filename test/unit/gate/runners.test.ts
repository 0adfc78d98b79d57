// Tests programs that run project-defined scripts: the scope, binding and end of an approval.
import assert from "node:assert/strict";
import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Grant } from "../../../src/core/ports/gate.ts";
import { command, makeWorld, type World } from "./world.ts";

const files = {
	"ws/package.json": '{ "scripts": { "test": "true", "dev": "serve" } }',
	"ws/sub/package.yaml": "scripts:\n  test: touch PWNED\n",
	"ws/apps/one/package.json": '{ "name": "one", "scripts": { "test": "true" } }',
	"ws/node_modules/.bin/jest": "#!/bin/sh\n",
	"ws/node_modules/.bin/odd-tool": "#!/bin/sh\n",
	"ws/Makefile": "include rules.mk\nall:\n\ttrue\n",
	"ws/rules.mk": "test:\n\ttrue\n",
	"ws/computed/Makefile": "include $(wildcard *.mk)\n",
	"ws/Cargo.toml": "[package]\n",
	"ws/pom.xml": "<project/>",
	"ws/scripts/run.sh": "true\n",
	"ws/x.js": "1\n",
	"ws/manage.py": "1\n",
	"ws/gradlew": "#!/bin/sh\n",
	"ws/node_modules/.bin/eslint": "#!/bin/sh\n",
	"ws/node_modules/.bin/prettier": "#!/bin/sh\n",
	"ws/node_modules/.bin/vitest": "#!/bin/sh\n",
	"ws/node_modules/.bin/tsc": "#!/bin/sh\n",
	"ws/sub/deep/x.js": "1\n",
	"ws/tsconfig.json": '{ "extends": ["./base"], /* projects */ "references": [{ "path": "packages/one" }], }',
	"ws/base.json": "{}",
};

async function offered(world: World, line: string): Promise<string[] | string> {
	const verdict = await command(world, line);
	assert.equal(verdict.decision, "ask", `${line}: ${verdict.reason}`);
	return verdict.grants.length === 0
		? "nothing"
		: verdict.grants.map(({ class: name, line: exactly }) => (exactly ? `only: ${name}` : name));
}

async function put(world: World, name: string, text: string): Promise<void> {
	await mkdir(dirname(join(world.root, name)), { recursive: true });
	await writeFile(join(world.root, name), text);
}

describe("a program that runs what a project defines", () => {
	let world: World;
	beforeEach(async () => {
		world = await makeWorld(files);
		await chmod(join(world.root, "ws/node_modules/.bin/jest"), 0o755);
	});
	afterEach(() => world.dispose());

	it("may be approved for good by program and subcommand, or by the line alone", async () => {
		const wanted: Record<string, string[] | string> = {
			"npm test": ["npm test"],
			"npm t": ["npm t"],
			"npm run lint -- --fix": ["npm run lint"],
			"npm run test -- --require=./evil.js": ["only: npm run test -- --require=./evil.js"],
			"npm ls --depth=0": ["npm ls"],
			"npm ls --cache=./c": "nothing",
			"npm --script-shell=./evil.sh test": "nothing",
			"npm test --prefix sub": "nothing",
			"npm ci": "nothing",
			"npm pkg set scripts.test=x": "nothing",
			"npx jest -t 'adds numbers'": ["npx jest"],
			"npx jest --config evil.js": ["only: npx jest --config evil.js"],
			"npx odd-tool x": ["only: npx odd-tool x"],
			"npx create-something": "nothing",
			"pnpm test": ["pnpm test"],
			"pnpm touch PWNED": "nothing",
			"pnpm mv victim gone": "nothing",
			"pnpm dev": ["pnpm dev"],
			"pnpm jest": ["pnpm jest"],
			"pnpm exec jest": ["pnpm exec jest"],
			"pnpm --filter one test": ["pnpm -r test"],
			"pnpm -r test": ["pnpm -r test"],
			"yarn shx rm -rf src": "nothing",
			"yarn run rimraf src": "nothing",
			"yarn jest": ["yarn jest"],
			make: ["make"],
			"make -j8 test": ["make test"],
			"make SHELL=./evil.sh": ["only: make SHELL=./evil.sh"],
			"make -f evil": ["only: make -f evil"],
			"cargo test name": ["cargo test"],
			"cargo clippy --fix": ["only: cargo clippy --fix"],
			"cargo test -- --nocapture name": ["cargo test"],
			"cargo test -- --logfile .git/hooks/pre-commit": "nothing",
			"cargo test -- --logfile log": ["only: cargo test -- --logfile log"],
			"cargo install x": ["only: cargo install x"],
			"go test ./pkg/... -run TestX -v": ["go test"],
			"go test -exec ./evil.sh": ["only: go test -exec ./evil.sh"],
			"mvn -q test": ["mvn test"],
			"./gradlew test": ["./gradlew test"],
			"bash scripts/run.sh": ["bash scripts/run.sh"],
			"bash -c 'touch x'": "nothing",
			"node x.js": ["node x.js"],
			"node -e 1": "nothing",
			"node -r ./evil.js x.js": "nothing",
			"python manage.py test": ["python manage.py"],
			"python -m pytest -q": ["python -m pytest"],
			"python -m http.server": "nothing",
			"php artisan test": ["php artisan test"],
			"bundle exec rspec": ["bundle exec rspec"],
			"timeout 60 npm test": ["npm test"],
			"NODE_ENV=test npm test": ["npm test"],
		};
		const found: typeof wanted = {};
		for (const line of Object.keys(wanted)) found[line] = await offered(world, line);
		assert.deepEqual(found, wanted);
	});

	const ends: [line: string, file: string, text: string][] = [
		["npm test", "ws/package.json", '{ "scripts": { "test": "false" } }'],
		["npm test", "ws/package.json", '{ "scripts": { "test": "true", "dev": "serve" }, "packageManager": "evil@1" }'],
		["pnpm -r test", "ws/apps/one/package.json", '{ "scripts": { "test": "false" } }'],
		["make test", "ws/Makefile", "test:\n\tfalse\n"],
		["make test", "ws/rules.mk", "test:\n\tfalse\n"],
		["make test", "ws/GNUmakefile", "test:\n\tfalse\n"],
		["cargo test", "ws/Cargo.toml", "[package]\nname='x'\n"],
		["cargo test", "ws/build.rs", "fn main() {}\n"],
		["cargo test", "ws/.cargo/config.toml", "[build]\n"],
		["mvn test", "ws/pom.xml", "<project></project>"],
		["mvn test", "ws/.mvn/maven.config", "-X\n"],
		["npx jest", "ws/jest.config.js", "x"],
		["python -m pytest", "ws/conftest.py", "x"],
		["bash scripts/run.sh", "ws/scripts/run.sh", "false\n"],
		["node x.js", "ws/x.js", "2\n"],
		["python manage.py test", "ws/manage.py", "2\n"],
		["./gradlew test", "ws/gradlew", "#!/bin/bash\n"],
		["npx jest sub/deep/x.js", "ws/sub/jest.config.js", "x"],
		["npx eslint sub/deep/x.js", "ws/sub/deep/.eslintrc.js", "x"],
		["npx eslint sub/deep/x.js", "ws/sub/.eslintrc.json", "{}"],
		["npx eslint sub/deep", "ws/sub/deep/eslint.config.js", "x"],
		["npx eslint 'sub/**/*.js'", "ws/sub/eslint.config.js", "x"],
		["npx prettier --check sub/deep/x.js", "ws/sub/deep/.prettierrc", "{}"],
		["npx vitest run sub/deep", "ws/sub/vitest.config.ts", "x"],
		["npx vitest run", "ws/vitest.workspace.ts", "x"],
		["pytest sub/deep", "ws/sub/conftest.py", "x"],
		["pytest", "ws/sub/deep/conftest.py", "x"],
		["npx tsc --noEmit", "ws/base.json", '{ "compilerOptions": { "outDir": ".." } }'],
		["npx tsc --noEmit", "ws/packages/one/tsconfig.json", "{}"],
		["npm test", "ws/.npmrc", "script-shell=./evil.sh\n"],
		["npx jest", "ws/.npmrc", "script-shell=./evil.sh\n"],
		["yarn jest", "ws/.yarnrc.yml", "yarnPath: ./evil.js\n"],
		["pnpm -r test", "ws/apps/one/.npmrc", "script-shell=./evil.sh\n"],
		["pnpm dev", "ws/pnpm-workspace.yaml", "scriptShell: ./evil.sh\n"],
		["cargo test -p one", "ws/crates/one/Cargo.toml", "[package]\n"],
		["cargo test -p one", "ws/crates/one/build.rs", "fn main() {}\n"],
		["cd sub/deep && cargo test", "ws/.cargo/config.toml", "[build]\n"],
		["mvn test", "ws/module/pom.xml", "<project/>"],
		["gradle test", "ws/settings.gradle", "include 'x'\n"],
		["gradle test", "ws/app/build.gradle.kts", "x\n"],
		["gradle test", "ws/buildSrc/src/main/java/X.java", "class X {}\n"],
		["dotnet build", "ws/app/app.csproj", "<Project/>"],
		["dotnet build", "ws/all.sln", "x"],
		["dotnet test app", "ws/app/Directory.Build.props", "<Project/>"],
	];
	for (const [line, file, text] of ends) {
		it(`is approved for good until its definition changes: ${line}, ${file}`, async () => {
			const asked = await command(world, line);
			const grants = asked.grants.map((one): Grant => ({ ...one, agent: "default", workspace: "w", at: "2026-01-01T00:00:00Z" }));
			assert.equal((await command(world, line, { grants })).decision, "allow");
			await put(world, file, text);
			assert.equal((await command(world, line, { grants })).decision, "ask");
		});
	}

	it("lasts not where a definition cannot be read, and asks in every mode", async () => {
		const verdict = await command(world, "cd computed && make", { mode: "auto" });
		assert.deepEqual([verdict.decision, verdict.grants], ["ask", []]);
		await rm(join(world.root, "ws/package.json"));
		await put(world, "ws/package.json", "{");
		assert.equal((await command(world, "npm test", { mode: "auto" })).decision, "ask");
	});

	it("keeps counting where what was given has no definitions of its own", async () => {
		for (const [line, later] of [
			["npx eslint x.js", "npx eslint sub/deep/x.js sub"],
			["npm test", "npm test"],
			["cargo test", "cargo test -p one"],
		] as const) {
			const asked = await command(world, line);
			const grants = asked.grants.map((one): Grant => ({ ...one, agent: "default", workspace: "w", at: "2026-01-01T00:00:00Z" }));
			await put(world, "ws/node_modules/x/Cargo.toml", line);
			await put(world, "ws/target/package/Cargo.toml", line);
			assert.equal((await command(world, later, { grants })).decision, "allow", later);
		}
	});

	it("runs a script of the manifest that its manager would take", async () => {
		const inSub = await command(world, "cd sub && pnpm test");
		const above = await command(world, "pnpm test");
		assert.notEqual(inSub.grants[0]?.scriptsHash, above.grants[0]?.scriptsHash);
		const npm = await command(world, "cd sub && npm test");
		assert.equal(npm.grants[0]?.scriptsHash, (await command(world, "npm test")).grants[0]?.scriptsHash);
	});
});
