// Patterns of file names: what the gate expands is what bash expands.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expandGlob } from "../../../src/gate/shell/globExpansion.ts";
import { parsePlainShell } from "../../../src/gate/shell/plainShell.ts";
import { disk } from "./world.ts";

const names = [
	...["a.ts", "b.ts", "ab.ts", "a.js", ".hidden", ".env", "A.ts", "a b.ts", "1.ts", "22.ts", "a*b", "[x]", "ü.ts", "日本.ts", "-n"],
	...["src/a.ts", "src/b.tsx", "src/deep/c.ts", "src/.env", "lib/a.ts", "lib/deep/c.ts", "empty/.gitkeep", "dash/-rf"],
];
const patterns = [
	...["*", "*.ts", "?.ts", "??.ts", "[ab].ts", "[!a].ts", "[^a].ts", "[0-9].ts", "[0-9][0-9].ts", "a*", "*b*", "*.*", "src/*", "*/*.ts"],
	...["*/", "src/*/", "*/deep/*", "./src/*.ts", "src/../lib/*", "nothing*", "no/*.ts", "*/../a.ts", "a\\*b", "'a*'b", '"*".ts', "a\\ b*"],
	...["*a*b*", "**", "src/**", "**/c.ts", "dash/*", "linked/*", "*.ts/", "src//*.ts", "*/*/*", "[x]", "\\[x]", "?", "ü*", "日?.ts"],
];

describe("a pattern", () => {
	let folder: string;
	before(async () => {
		folder = await realpath(await mkdtemp(join(tmpdir(), "patterns-")));
		for (const name of names) {
			await mkdir(dirname(join(folder, name)), { recursive: true });
			await writeFile(join(folder, name), "");
		}
		await symlink("src", join(folder, "linked"));
		await symlink("nowhere", join(folder, "dangling.ts"));
	});
	after(() => rm(folder, { recursive: true, force: true }));

	for (const pattern of patterns) {
		it(`is expanded as bash does, or asks: ${pattern}`, async () => {
			const plain = parsePlainShell(`printf ${pattern}`);
			if ("odd" in plain) return assert.match(pattern, /\[/, plain.odd);
			const word = plain.commands[0]?.words[1];
			assert.ok(word);
			const script = `cd "$1" && printf '%s\\n' ${pattern}`;
			const environment = { ...process.env, LC_ALL: "C.UTF-8" };
			const said = execFileSync("bash", ["--noprofile", "--norc", "-c", script, "bash", folder], { encoding: "utf8", env: environment });
			const real = said.split("\n").slice(0, -1).sort();
			const found = word.pattern ? await expandGlob(disk, word, folder) : { names: [word.text] };
			if ("odd" in found)
				return assert.ok(
					/\/\/|\w\/\.\.|\*\/\.\./.test(pattern) || real.some((name) => name.startsWith("-")),
					`${found.odd}: ${real.join(" ")}`,
				);
			assert.deepEqual(found.names, real);
		});
	}

	it("that begins with a dot, or finds a name that begins with a dash, is not followed", async () => {
		for (const [text, odd] of Object.entries({ ".e*": "dots", "src/.*": "dots", "*": "dash" })) {
			const plain = parsePlainShell(`ls ${text}`);
			assert.ok("commands" in plain);
			const word = plain.commands[0]?.words[1];
			assert.ok(word);
			assert.deepEqual(await expandGlob(disk, word, folder), { odd });
		}
	});

	it("with a hundred stars is over before the test's time is", async () => {
		const long = await mkdtemp(join(tmpdir(), "patterns-"));
		await writeFile(join(long, "a".repeat(250)), "");
		const plain = parsePlainShell(`ls ${"*a".repeat(100)}*b`);
		assert.ok("commands" in plain);
		const word = plain.commands[0]?.words[1];
		assert.ok(word);
		assert.deepEqual(await expandGlob(disk, word, long), { names: [word.text] });
		await rm(long, { recursive: true });
	});
});
