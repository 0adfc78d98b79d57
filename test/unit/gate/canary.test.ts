// Tests generated read-only commands beside a secret: those that pass unasked run and never show it.

// TROUPE_FUZZ sets the number of commands; TROUPE_SEED selects another set.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { link, symlink } from "node:fs/promises";
import { join } from "node:path";
import { command, listed, makeWorld } from "./world.ts";

const rounds = Number(process.env["TROUPE_FUZZ"] ?? 500);
let seed = Number(process.env["TROUPE_SEED"] ?? 77);
const canary = "CANARY-7f3a";

function next(limit: number): number {
	seed = (seed * 48271) % 2147483647;
	return seed % limit;
}
function pick<Item>(items: readonly Item[]): Item {
	return items[next(items.length)] as Item;
}

const starts = [
	..."cat head wc sort,-u grep,CANARY grep,-r,CANARY grep,-rn,. grep,-f grep,-e,C grep,-A2,x find sed,-n,p sed,p cut,-c1-20 git,diff git,diff,--stat".split(
		" ",
	),
	..."git,log,-p git,grep,C git,status ls cd grep,-d,recurse,C grep,--file grep,-rh,C head,-n3 sort,-k1 sed,-n,/C/p grep,-c,C git,diff,--no-index".split(
		" ",
	),
].map((text) => text.replaceAll(",", " "));
const places = (
	".env ./.env .ENV src/.env .env.local linked outer/secret.txt outer up/out/secret.txt ../out/secret.txt hard.txt . src README.md src/../.env " +
	"in/../.env in/../../out/secret.txt in up/ws/.env deep/.env id_rsa .git/secret .git gitlink/secret src/a.ts -- - x ./in/.. in/.. /dev/null"
).split(" ");
const joints = [" && ", "; ", " || ", " | "];

function spelled(path: string): string {
	const how = next(8);
	if (how === 0) return `'${path}'`;
	if (how === 1) return path.replace(/[a-z]/, "\\$&");
	if (how === 2) return path.replace("/", "//");
	if (how === 3) return path.replace(/^(\w+)/, '"$1"');
	return how === 4 ? `./${path}` : path;
}

function generate(): string {
	let text = "";
	for (let count = 1 + next(3); count > 0; count--) {
		const words = [pick(starts), ...Array.from({ length: next(3) + (next(4) ? 1 : 0) }, () => spelled(pick(places)))];
		const part = next(5) === 0 ? `cd ${pick(["src", "in", "deep", "outer", "up", "..", ".git", "nowhere"])}` : words.join(" ");
		text += (text === "" ? "" : pick(joints)) + part;
	}
	return text;
}

describe("generated reading commands", () => {
	it(`of which ${rounds} were tried never show a secret where they pass unasked`, async function () {
		this.timeout(20_000 + rounds * 60);
		const world = await makeWorld({
			"ws/.env": `${canary}\n`,
			"ws/.env.local": `${canary}\n`,
			"ws/src/.env": `${canary}\n`,
			"ws/deep/.env": `${canary}\n`,
			"ws/id_rsa": `${canary}\n`,
			"ws/.gitignore": "*\n!README.md\n",
			"ws/README.md": "C\n",
			"ws/src/a.ts": "C\n",
			"ws/a/b/c.ts": "C\n",
			"ws/tree/.env": `${canary}\n`,
			"out/secret.txt": `${canary}\n`,
		});
		const ws = join(world.root, "ws");
		for (const words of [
			["init", "-q"],
			["add", "-A"],
			["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"],
		]) {
			assert.equal(spawnSync("git", words, { cwd: ws }).status, 0);
		}
		const links = { linked: "../out/secret.txt", outer: "../out", up: "..", in: "a/b", gitlink: ".git" };
		for (const [name, target] of Object.entries(links)) await symlink(target, join(ws, name));
		await link(join(world.root, "out/secret.txt"), join(ws, "hard.txt"));
		await link(join(world.root, "out/secret.txt"), join(ws, ".git/secret"));
		const env = { PATH: process.env["PATH"] ?? "", HOME: world.root, LANG: "C.UTF-8", GIT_CONFIG_GLOBAL: "/dev/null" };
		const told: string[] = [];
		let passed = 0;
		for (let round = 0; round < rounds; round++) {
			const text = generate();
			const allow = [...("allow" in listed ? listed.allow : []), "execute_command(cd *)"];
			if ((await command(world, text, { rules: { deny: [], ask: [], allow } })).decision !== "allow") continue;
			passed++;
			const { stdout } = spawnSync("bash", ["--noprofile", "--norc", "-c", text], { cwd: ws, env, encoding: "utf8", timeout: 5_000 });
			if (stdout.includes(canary)) told.push(text);
		}
		await world.dispose();
		assert.ok(passed > rounds / 50, `only ${passed} passed`);
		assert.deepEqual(told, []);
	});
});
