// Checks each everyday line against the gate: before approval, after it, and after its bound files change.

// Runs inside the jail.

import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Grantable, Verdict } from "../../../src/core/ports/gate.ts";
import { ask, kept, withGate } from "./arenaGate.ts";
import type { EverydayLine, Mark } from "./cases.ts";
import { type Fixture, fixtureAt, type Keeper, keeperOf, layFixture } from "./fixture.ts";
import { furnish } from "./furnish.ts";

export interface MarksJob {
	root: string;
	parser: string;
	files: Readonly<Record<string, string>>;
	everyday: readonly EverydayLine[];
	/** With the files that lines name and the note does not. */
	furnished: boolean;
	/** Every program that a line names is found on the PATH. */
	installed: boolean;
}

export interface Met {
	cmd: string;
	mark: Mark;
	first: Verdict["decision"];
	reason: string;
	offered: readonly Grantable[];
	/** With what was offered kept. */
	second: Verdict["decision"];
	/** What the approval outlived, though it should have ended with it. */
	outlived: string[];
}

export async function meetMarks({ root, parser, files, everyday, furnished, installed }: MarksJob): Promise<Met[]> {
	const path = process.env["PATH"] ?? "";
	const fixture = fixtureAt(root, installed ? `${path}:${layPrograms(`${root}-programs`, everyday)}` : path);
	const template = `${root}-template`;
	layFixture(fixtureAt(template, path), files);
	const keeper = keeperOf(fixture, template);
	const restore = () => {
		if (keeper.setUp({})) furnish(fixture, furnished);
	};
	const found: Met[] = [];
	for (const { cmd, mark } of everyday) {
		const once = () => meet({ fixture, parser, keeper, restore }, { cmd, mark });
		let met = await once();
		// On a busy machine git or a walk may have been too slow: that asks.
		for (let attempt = 1; attempt < TRIES && misses(met); attempt += 1) met = await once();
		found.push(met);
	}
	return found;
}

const TRIES = 3;

export function misses({ mark, first, second, offered }: Met): boolean {
	if (mark === "asks" || first === "allow") return false;
	return mark === "goes" || offered.length === 0 || second !== "allow";
}

interface MarkSetup {
	fixture: Fixture;
	parser: string;
	keeper: Keeper;
	/** Puts the furnished fixture back. */
	restore(): void;
}

function meet({ fixture, parser, keeper, restore }: MarkSetup, { cmd, mark }: EverydayLine): Promise<Met> {
	restore();
	return withGate(fixture, fixture.env, parser, async (gate) => {
		const decide = async (grants: readonly Grantable[]) =>
			ask(gate, await gate.command(cmd), { role: "actor", mode: "plan", rules: NO_RULES, grants: kept(grants), sandbox: "works" });
		const first = await decide([]);
		const second = await decide(first.grants);
		const outlived: string[] = [];
		if (first.decision === "ask" && second.decision === "allow") {
			for (const change of changesFor(cmd)) {
				restore();
				change.make(fixture);
				keeper.spoilt();
				if ((await decide(first.grants)).decision === "allow") outlived.push(change.name);
			}
		}
		return { cmd, mark, first: first.decision, reason: first.reason, offered: first.grants, second: second.decision, outlived };
	});
}

const NO_RULES = { deny: [], ask: [], allow: [] };

interface Change {
	name: string;
	make(fixture: Fixture): void;
}

/** What lies in the definition of each line: when it changes, so may what the line does. */
const DEFINITIONS: readonly { of: RegExp; changes: readonly Change[] }[] = [
	{
		of: /^(?!.* (ls|-v)).*\b(npm|pnpm) /,
		changes: [writes("package.json", '{ "name": "w", "scripts": { "test": "node evil.js", "dev": "x", "lint": "y" } }\n')],
	},
	{ of: /pnpm --filter/, changes: [writes("packages/app/package.json", '{ "name": "app", "scripts": { "test": "node evil.js" } }\n')] },
	{ of: /^make/, changes: [writes("Makefile", "all:\n\ttouch x\n"), writes("GNUmakefile", "all:\n\ttouch x\n")] },
	{
		of: /^cargo/,
		changes: [
			writes("Cargo.toml", '[package]\nname = "w"\nbuild = "b.rs"\n'),
			writes(".cargo/config.toml", "[build]\nrustc-wrapper = './x'\n"),
		],
	},
	{ of: /^mvn/, changes: [writes("pom.xml", "<project/>\n"), writes(".mvn/jvm.config", "-javaagent:x.jar\n")] },
	{
		of: /^(pytest|python -m pytest)/,
		changes: [writes("conftest.py", "import os\n"), writes("pytest.ini", "[pytest]\naddopts = -p evil\n")],
	},
	{ of: /manage\.py/, changes: [adds("manage.py", "import os\n")] },
	{ of: /artisan/, changes: [adds("artisan", "system('x');\n")] },
	{ of: /^bash scripts/, changes: [adds("scripts/run.sh", "touch x\n")] },
	{ of: /eslint/, changes: [writes("eslint.config.js", "export default [];\n")] },
	{ of: /jest/, changes: [writes("jest.config.js", "module.exports = {};\n")] },
	{ of: /vitest/, changes: [writes("vitest.config.ts", "export default {};\n")] },
	{ of: /playwright/, changes: [writes("playwright.config.ts", "export default {};\n")] },
	{ of: /prettier/, changes: [writes("prettier.config.js", "module.exports = {};\n")] },
	{ of: /^next/, changes: [writes("next.config.js", "module.exports = {};\n")] },
	{ of: /^gradle/, changes: [writes("build.gradle", "println 1\n"), writes("settings.gradle", "println 1\n")] },
	{ of: /^mix/, changes: [writes("mix.exs", "x\n")] },
	{ of: /rspec/, changes: [writes(".rspec", "-r ./evil\n")] },
	{ of: /^git fetch/, changes: [configures("remote.origin.url", "https://example.org/evil.git")] },
	{ of: /^git commit|&& git commit/, changes: [configures("core.editor", "./evil.sh"), configures("gpg.program", "./evil.sh")] },
	{ of: /^git (add|checkout)/, changes: [configures("core.fsmonitor", "./evil.sh"), configures("filter.x.clean", "./evil.sh")] },
];

function changesFor(cmd: string): Change[] {
	return DEFINITIONS.filter(({ of }) => of.test(cmd)).flatMap(({ changes }) => changes);
}

function writes(path: string, text: string): Change {
	return { name: path, make: ({ workspace }) => put(join(workspace, path), text) };
}

function adds(path: string, text: string): Change {
	return {
		name: path,
		make({ workspace }) {
			mkdirSync(dirname(join(workspace, path)), { recursive: true });
			appendFileSync(join(workspace, path), text);
		},
	};
}

function configures(key: string, value: string): Change {
	return {
		name: key,
		make: ({ workspace, env }) => void execFileSync("git", ["config", key, value], { cwd: workspace, env, stdio: "pipe" }),
	};
}

/** Stands in for programs that this machine lacks; what is there stays first. */
function layPrograms(folder: string, everyday: readonly EverydayLine[]): string {
	rmSync(folder, { recursive: true, force: true });
	for (const name of new Set(everyday.flatMap(({ cmd }) => cmd.split(/[\s|&;]+/)).filter((word) => /^[a-z][\w-]*$/.test(word)))) {
		put(join(folder, name), "#!/bin/sh\nexit 0\n");
		chmodSync(join(folder, name), 0o755);
	}
	return folder;
}

function put(path: string, text: string): void {
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, text);
}
