// The project's own packages and commands: the same on Linux, macOS and Windows.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isInstalled } from "../../scripts/packages.mjs";
import { JOBS, listParts, plans } from "../../scripts/parts.mjs";
import { THOROUGH } from "../../scripts/thorough.mjs";

interface Locked {
	version?: string;
	integrity?: string;
	resolved?: string;
	bin?: Record<string, string>;
	optionalDependencies?: Record<string, string>;
}

const read = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;
const manifest = read<{ scripts: Record<string, string>; devDependencies: Record<string, string> }>("package.json");
const locked = read<{ packages: Record<string, Locked> }>("package-lock.json").packages;

/** Where Node finds a package that another one asks for: in its own folder, or in one above it. */
function found(from: string, name: string): Locked | undefined {
	const own = locked[`${from === "" ? "" : `${from}/`}node_modules/${name}`];
	if (own !== undefined || from === "") return own;
	return found(from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/"))), name);
}

describe("the lock file", () => {
	it("holds the optional packages of every platform, so that npm ci works on each", () => {
		const wanted = Object.entries(locked).flatMap(([from, { optionalDependencies = {} }]) =>
			Object.entries(optionalDependencies).map(([name, version]) => ({ from, name, version })),
		);
		assert.ok(wanted.length > 80, "packages with a program for each platform are there");
		const problems = wanted.filter(({ from, name, version }) => {
			const is = found(from, name)?.version;
			return is === undefined || (/^\d/.test(version) && is !== version);
		});
		assert.deepEqual(problems, []);
	});

	it("names a version and a checksum for each package, and the address of none", () => {
		for (const [path, { version, integrity, resolved }] of Object.entries(locked)) {
			if (path === "") continue;
			assert.ok(version && integrity, path);
			assert.equal(resolved, undefined, path);
		}
	});
});

describe("packages that are older than their newest", () => {
	it("are those that CONTRIBUTING.md gives a reason for: none is pinned without one", () => {
		const pinned = Object.entries(manifest.devDependencies).filter(([, range]) => /^\d/.test(range));
		const reasons = readFileSync("CONTRIBUTING.md", "utf8");
		assert.ok(pinned.length > 0);
		for (const [name, version] of pinned) assert.ok(reasons.includes(`\`${name}\` ${version}`), `${name} ${version}`);
	});
});

describe("packages are installed again", () => {
	const lock = { "": { version: "1" }, "node_modules/a": { version: "1", integrity: "x" } };
	const other = { "node_modules/b": { version: "1", integrity: "y", optional: true } };

	it("when none are there", () => assert.ok(!isInstalled(lock, {})));
	it("when the lock file has another version of one", () =>
		assert.ok(!isInstalled(lock, { "node_modules/a": { version: "2", integrity: "z" } })));
	it("when one is there that the lock file does not have", () =>
		assert.ok(!isInstalled(lock, { "node_modules/a": { version: "1", integrity: "x" }, ...other })));
	it("and not when only those of other platforms are missing", () =>
		assert.ok(isInstalled({ ...lock, ...other }, { "node_modules/a": { version: "1", integrity: "x" } })));
});

describe("the commands of package.json", () => {
	const programs = new Set(Object.values(locked).flatMap(({ bin = {} }) => Object.keys(bin)));
	const problemOf = (command: string): string | undefined => {
		if (/[^\w\s./:=@-]/.test(command)) return "has characters that shells read differently";
		const [program = "", file = ""] = command.split(" ");
		if (program === "node") return existsSync(file) ? undefined : `runs ${file}, which does not exist`;
		return programs.has(program) ? undefined : `runs ${program}, which is no program of a package`;
	};

	it("run in every shell: Node or a program of a package, and plain words", () => {
		const problems = Object.entries(manifest.scripts).flatMap(([name, command]) => {
			const problem = problemOf(command);
			return problem === undefined ? [] : [`${name} ${problem}`];
		});
		assert.deepEqual(problems, []);
	});

	for (const command of ["sh run.sh", "A=1 node esbuild.mjs", "node esbuild.mjs && biome check .", "rm -rf dist", "node missing.mjs"])
		it(`would be refused as \`${command}\``, () => assert.notEqual(problemOf(command), undefined));
});

describe("a clone", () => {
	it("has line feeds on every platform, and fixtures byte for byte", () => {
		const attributes = (path: string): string =>
			execFileSync("git", ["check-attr", "text", "eol", "--", path], { encoding: "utf8" }).replace(/^.*?: /gm, "");
		assert.equal(attributes("src/extension.ts"), "text: auto\neol: lf\n");
		assert.match(attributes("test/fixtures/storage-0.1.0/grants.json"), /^text: unset\n/);
	});
});

describe("the parts of the tests", () => {
	/** Without what is its speed alone, such as how many run side by side, and whose build it takes. */
	const commands = (plan: keyof typeof plans): string[] =>
		plans[plan].map(({ command }) => command.filter((word) => !/^--(jobs=|(quick|built)$)/.test(word)).join(" "));

	it("are all in npm test or in npm run nightly, those of npm run check among them", () => {
		const all = [...commands("test"), ...commands("nightly")];
		assert.deepEqual(
			commands("check").filter((command) => !all.includes(command)),
			[],
		);
		for (const [name, command] of Object.entries(manifest.scripts).filter(([name]) => /^(attack|conformance|e2e|faults|host)/.test(name))) {
			const file = command.split(" ")[1] ?? "";
			assert.ok(
				all.some((line) => line.replaceAll("\\", "/").includes(file)),
				`${name} is in neither`,
			);
		}
	});

	it("take files that exist, and what another part of the same run makes", () => {
		for (const parts of Object.values(plans))
			for (const [index, { command, after }] of parts.entries()) {
				assert.ok(existsSync(command[0]?.replace(/^.*[\\/](?=(?:scripts|test|node_modules)[\\/]|esbuild\.mjs$)/, "") ?? ""), command[0]);
				assert.ok(after === undefined || parts.slice(0, index).some(({ name }) => name === after), after);
			}
	});

	it("are all in the jobs that CI runs side by side, and each with the build that it needs", () => {
		const workflow = readFileSync(".github/workflows/check.yml", "utf8");
		assert.deepEqual(/part: \[(.*)\]/.exec(workflow)?.[1]?.split(", "), JOBS);
		const inJobs = JOBS.map((job) => listParts("test", job));
		assert.deepEqual(new Set(inJobs.flat()), new Set(plans.test));
		for (const parts of inJobs)
			for (const { after } of parts) assert.ok(after === undefined || parts.some(({ name }) => name === after), after);
	});

	it("that are left out of npm run check by their names exist", () => {
		const files = readdirSync("test/unit", { recursive: true }).map((name) => String(name).replaceAll("\\", "/"));
		assert.deepEqual(
			THOROUGH.filter((start) => !files.some((file) => file.startsWith(start) && file.endsWith(".test.ts"))),
			[],
		);
	});
});
