// Tests generated commands under the read-only allowlist: those that pass unasked run and change nothing.

// TROUPE_FUZZ=10000 runs the full number; TROUPE_SEED selects another set.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { command, listed, makeWorld } from "./world.ts";

const rounds = Number(process.env["TROUPE_FUZZ"] ?? 1_200);
let seed = Number(process.env["TROUPE_SEED"] ?? 20_260_101);
const files: Record<string, string> = {
	"ws/README.md": "hello\nworld\n",
	"ws/victim": "b\na\n",
	"ws/prog.sed": "w PWNED\n",
	"ws/p.sh": "#!/bin/sh\ntouch PWNED\n",
	"ws/src/a.ts": "a\n",
};

function next(limit: number): number {
	seed = (seed * 48271) % 2147483647;
	return seed % limit;
}
function pick<Item>(items: readonly Item[]): Item {
	return items[next(items.length)] as Item;
}

const fixture: { command: string }[] = JSON.parse(readFileSync("test/fixtures/gate/commands.json", "utf8"));
const known = fixture.map((vector) => vector.command).filter((text) => text.length < 200);
const programs = "echo ls cat grep find sed sort wc head cut pwd rg".split(" ").concat("git log", "git status", "git diff");
const operands =
	"victim README.md src . ./victim src/a.ts PWNED x 'a b' \"a\" '*.ts' -- - a=b {} $x `id` $(touch PWNED) ~ * {a,b} /dev/null".split(" ");
const flags = (
	"-n -e -i -o -f -r -R -l -c -w -z -k1 -t: -u -T -S -E -v -la -1 -5 -exec -ok -delete -fprint -fls -name -type -print -O -p -x -F --output=PWNED " +
	"--outp=PWNED -oPWNED -iPWNED -uoPWNED --in-place --compress-program=./p.sh --pre=./p.sh --ext-diff --stat --oneline -nf --file=prog.sed -fprog.sed " +
	"--files0-from=victim --color=never -ni -en -new -W --expression=p --null -D --debug --sandbox -P -L -H"
).split(" ");
const scripts = [
	"p",
	"1p",
	"w PWNED",
	"1w PWNED",
	"s/a/b/",
	"s/a/b/w PWNED",
	"s/a/touch PWNED/e",
	"e touch PWNED",
	"$!d",
	"/a/,/b/p",
	"/a/{p}",
	"p;w PWNED",
	"y/a/b/",
	"s|a|b|ge",
	"r victim",
	"W PWNED",
	"1,2{w PWNED\n}",
	"a\\",
	"s/a/b/;e",
	"s,a,b,p",
	"0~1w PWNED",
	"\\,a,w PWNED",
];
const joints = [
	" && ",
	" || ",
	" ; ",
	";",
	" | ",
	"|",
	"&&",
	" & ",
	" |& ",
	"\n",
	" > ",
	" >> ",
	" 2>&1 ",
	" >/dev/null ",
	" >|",
	" <",
	" &>",
	" 2>",
	" 1>&2 ",
];
const mutations = [..."'\"\\$`(){};&|><\n #!~*=", "touch PWNED", "$(touch PWNED)", "$'", "\t", ">PWNED", "\\\n", "[", "]"];

function quoted(text: string): string {
	const how = next(4);
	if (how === 0) return `'${text.replaceAll("'", "'\\''")}'`;
	if (how === 1) return `"${text.replace(/["\\$`]/g, "\\$&")}"`;
	return how === 2 ? text.replace(/[^\w.\-/]/g, "\\$&") : `'${text}'`;
}

function simple(): string {
	const words = [pick(programs)];
	for (let count = next(5); count > 0; count--) {
		const kind = next(10);
		words.push(kind < 4 ? pick(flags) : kind < 8 ? pick(operands) : quoted(pick(scripts)));
	}
	return words.join(next(20) === 0 ? "  " : " ");
}

function generate(): string {
	let text = next(5) === 0 ? pick(known) : simple();
	while (next(3) === 0) text += pick(joints) + (next(8) === 0 ? pick(["PWNED", "touch PWNED", "cd src"]) : simple());
	for (let count = next(3) === 0 ? 1 + next(2) : 0; count > 0; count--) {
		const at = next(text.length + 1);
		text = text.slice(0, at) + (next(4) === 0 ? "" : pick(mutations)) + text.slice(at + next(2));
	}
	return text;
}

/** Names, kinds and bytes of everything below a folder but git's own index, which reading refreshes. */
function fingerprint(folder: string): string {
	const hash = createHash("sha256");
	for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
		if (name === join("ws", ".git", "index")) continue;
		const found = statSync(join(folder, name));
		hash.update(`${name}\0${found.mode}\0${found.isFile() ? readFileSync(join(folder, name), "hex") : ""}\0`);
	}
	return hash.digest("hex");
}

async function run(folder: string, commands: readonly string[]): Promise<void> {
	const list = join(mkdtempSync(join(tmpdir(), "gate-list-")), "commands");
	writeFileSync(list, commands.map((text) => `${text}\0`).join(""));
	const script = 'while IFS= read -r -d "" line; do timeout 5 bash --noprofile --norc -c "$line" </dev/null; done <"$1"';
	const words = ["bash", "--noprofile", "--norc", "-c", script, "bash", list];
	const cut = spawnSync("unshare", ["-n", "true"]).status === 0 ? ["unshare", "-n"] : [];
	const [program = "", ...rest] = [...cut, ...words];
	const env = { PATH: process.env["PATH"] ?? "", HOME: folder, LANG: "C.UTF-8", GIT_CONFIG_GLOBAL: "/dev/null", GIT_OPTIONAL_LOCKS: "0" };
	const child = spawn(program, rest, { cwd: join(folder, "ws"), env, stdio: ["ignore", "ignore", "ignore"] });
	await new Promise((resolve) => child.on("exit", resolve));
	rmSync(join(list, ".."), { recursive: true });
}

/** The commands of a list that change something, found by halving it. */
async function guilty(template: string, commands: readonly string[]): Promise<string[]> {
	if (commands.length === 0) return [];
	const folder = await mkdtemp(join(tmpdir(), "gate-fuzz-"));
	await cp(template, folder, { recursive: true });
	const before = fingerprint(folder);
	await run(folder, commands);
	const changed = fingerprint(folder) !== before;
	await rm(folder, { recursive: true, force: true });
	if (!changed || commands.length === 1) return changed ? [...commands] : [];
	const half = commands.length >> 1;
	return [...(await guilty(template, commands.slice(0, half))), ...(await guilty(template, commands.slice(half)))];
}

describe("generated command lines", () => {
	it(`of which ${rounds} were tried change nothing where they pass unasked`, async function () {
		this.timeout(20_000 + rounds * 60);
		const world = await makeWorld(files);
		const ws = join(world.root, "ws");
		for (const words of [
			["init", "-q"],
			["add", "-A"],
			["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"],
		])
			spawnSync("git", words, { cwd: ws });
		const passed = new Set<string>();
		for (let round = 0; round < rounds; round++) {
			const text = generate();
			if ((await command(world, text, { rules: listed })).decision === "allow") passed.add(text);
		}
		assert.ok(passed.size > rounds / 20, `only ${passed.size} passed`);
		assert.deepEqual(await guilty(world.root, [...passed]), []);
		await world.dispose();
	});

	it("would be caught if one changed something", async () => {
		const world = await makeWorld(files);
		assert.deepEqual(await guilty(world.root, ["ls", "touch PWNED", "cat victim"]), ["touch PWNED"]);
		await world.dispose();
	});
});
