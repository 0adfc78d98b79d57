// Lines that read, write or run more than their words seem to say.
import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { type Asking, command, makeWorld, rules, type World } from "./world.ts";

describe("a line that reads more than its words say", () => {
	let world: World;
	before(async () => {
		world = await makeWorld({
			"notes.md": "s",
			"other/notes.md": "s",
			"ws/a": "a",
			"ws/b.ts": "b",
			"ws/skip": "zzz\n",
			"ws/.env": "K=1",
			"ws/sub/c.txt": "c",
			"ws/sub/d/e": "e",
			"ws/certs/server.key": "k",
			"ws/certs/x": "k",
			"ws/hold/.env": "k",
			"ws/linked/t": "t",
			"ws/away/t": "t",
			"ws/.docker/config.json": "{}",
			"ws/conf/gh/hosts.yml": "{}",
			"ws/P": "x",
			"ws/package.json": '{"scripts":{"test":"true"}}',
			"ws/node_modules/.bin/prettier": "",
			"ws/node_modules/.bin/tsc": "",
			"ws/node_modules/.bin/jest": "",
			"ws/script.js": "1",
			"ws/evil.js": "1",
			"ws/Makefile": "include mk/a.mk\n",
			"ws/mk/a.mk": "include b.mk\n",
		});
		await symlink("../hold", `${world.root}/ws/linked/l`);
		await symlink("../../other", `${world.root}/ws/away/l`);
		await symlink("../a", `${world.root}/ws/sub/up`);
	});
	after(() => world.dispose());

	const asks = (title: string, lines: readonly string[], asking: Asking = {}) => {
		for (const text of lines)
			it(`${title}: ${text}`, async () => {
				assert.notEqual((await command(world, text, asking)).decision, "allow");
			});
	};

	asks("xargs", [
		"echo .env | xargs -I% -n 2 cat",
		"echo .env | xargs -I% -L1 cat",
		"echo x | xargs -I% -L 1 find sub",
		"echo x | xargs -n2 -I% -L1 find sub",
	]);
	asks("cd in a pipeline", [
		"true | cd sub && cat ../notes.md",
		"echo x | cd sub/d && cat ../../notes.md",
		"cat a | cd sub && grep -r x ../other",
	]);
	asks("cd behind a runner", [
		...["time", "time -p", "command", "jobs -x", "time command"].map((runner) => `${runner} cd away && cat l/notes.md`),
		"time cd certs && cat s*",
	]);
	asks("awk", [
		`awk '/[]/]"/{ print "id" | "sh" }#"' a`,
		`awk '/[[:alpha:]/]"/{ print "id" | "sh" }#"' a`,
		`awk '/[\\]/]"/{ print "id" | "sh" }#"' a`,
		`awk '/[^]/]"/{ print "x" > "f" }#"' a`,
	]);
	asks("grep that follows", [
		"grep -R K linked",
		"diff -r linked sub",
		"grep -R --include='*.txt' s away",
		"grep -R --include='.e*' K linked",
		"zcat -r linked",
		"grep -R --exclude=l s away",
	]);
	asks("grep's skips", ["grep -r K --exclude-from=skip --include='*.ts' .", "grep -rf skip --include='*.ts' --exclude-from skip ."]);
	asks("names of several parts", [
		"grep -r x .docker",
		"grep -r x conf/gh",
		"rg x .docker",
		"cd conf && grep -r x gh",
		"cat conf/gh/*",
		"rg x conf/gh",
		"cd conf/gh && grep -r x .",
		"cd .docker && rg x",
		"cp -r .docker z",
	]);
	const about = rules({ allow: ["xargs", "timeout", "nice", "busybox", "jobs"].map((name) => `execute_command(${name} *)`) });
	asks(
		"a rule about a runner",
		[
			"xargs -a a cat",
			"xargs -a a rm",
			"timeout --unknown 5 rm a",
			"nice --unknown rm a",
			"busybox xargs rm",
			"busybox env rm a",
			"jobs -x rm %a",
		],
		{ rules: about },
	);

	it("goes ahead where nothing of that is so", async () => {
		for (const text of [
			"awk '/[[:space:]]+x|[^,]/ {print $1}' a",
			"echo a | xargs -I% echo %",
			"cd sub && cat c.txt | sort",
			"true | cd sub && cat a",
			"grep -R x sub",
			"grep -r x --include='*.ts' .",
		]) {
			const found = await command(world, text);
			assert.equal(found.decision, "allow", `${text}: ${found.reason}`);
		}
	});

	it("knows what the host protects below a folder, too", async () => {
		const home = await makeWorld({ "ws/.config/x/y": "t", "ws/code/a": "a" }, { homes: ["ws"] });
		assert.equal((await command(home, "grep -r t .")).decision, "ask");
		assert.equal((await command(home, "grep -r t code")).decision, "allow");
		await home.dispose();
		const data = await makeWorld({ "ws/data/y": "t", "ws/code/a": "a" }, { hostFolders: [{ path: "ws/data", kind: "data" }] });
		assert.equal((await command(data, "grep -r t .")).decision, "ask");
		assert.equal((await command(data, "rg t")).decision, "ask");
		await data.dispose();
	});
});
