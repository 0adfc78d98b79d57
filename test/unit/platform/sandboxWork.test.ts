// Tests the workspace sandbox from inside: what a command can write, and what it cannot.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { commitAll, describeKeptIn, SECRET, type Yard, yard } from "./sandboxSupport.ts";

describeKeptIn("a command that is kept in to work", () => {
	let at: Yard;
	const open: Yard[] = [];
	const opened = (options: Parameters<typeof yard>[0]) => {
		const made = yard(options);
		open.push(made);
		return made;
	};
	beforeEach(() => {
		at = opened({ writableCaches: () => ["~/cache"] });
	});
	afterEach(async () => {
		for (const one of open.splice(0)) await one.dispose();
	});
	const inside = (name: string) => join(at.folder, name);
	const text = (name: string) => readFileSync(inside(name), "utf8");

	it("writes in the workspace, keeps nothing elsewhere, and can make what builds need", async () => {
		at.put("workspace/src/a.txt", "one\n");
		const { output, exitCode } = await at.work(
			"set -e; echo two > src/a.txt; mkdir -p dist/deep; echo x > dist/deep/out; mv src lib; mkfifo pipe; rm pipe; ln -s lib/a.txt l; echo t > /tmp/t; cat /tmp/t; bash -c 'exit 3' || echo $?",
		);
		assert.deepEqual([output, exitCode], ["t\n3\n", 0]);
		assert.deepEqual([text("lib/a.txt"), text("dist/deep/out")], ["two\n", "x\n"]);
		const away = await at.work(
			`echo x > ~/a; echo x > ${at.storage}/a; echo x > ../beside; echo x > /etc/troupe-a; echo x > /tmp/troupe-a`,
		);
		assert.match(away.output, /Read-only file system/);
		for (const path of [join(at.home, "a"), join(at.storage, "a"), inside("../beside"), "/etc/troupe-a", "/tmp/troupe-a"]) {
			assert.equal(existsSync(path), false, path);
		}
	});

	it("cannot change protected places that are there, nor move them away", async () => {
		for (const name of [".env", "sub/.env", ".vscode/settings.json", "AGENTS.md"]) at.put(`workspace/${name}`, "mine\n");
		commitAll(at.folder);
		const tries = [
			...[".env", "sub/.env", ".vscode/settings.json", "AGENTS.md", ".git/config", ".git/hooks/pre-commit", ".git/HEAD"].map(
				(name) => `echo x >> ${name}`,
			),
			...[
				"rm -f .env",
				"mv .env e",
				"mv .vscode v",
				"rm -rf .vscode",
				"cp sub/.env x && mv -f x .env",
				"ln -sf /etc/passwd AGENTS.md",
				"mv .git g",
			],
			...["chmod 777 .env", "touch .vscode/tasks.json", "truncate -s 0 AGENTS.md", "sed -i s/mine/x/ AGENTS.md"],
		];
		const { output, confined } = await at.work(
			tries.map((attempt) => `(${attempt}) 2>/dev/null && echo 'OUT ${attempt.replaceAll("'", "")}'`).join("\n"),
		);
		assert.equal(output, "");
		assert.deepEqual(confined?.touched, []);
		for (const name of [".env", "sub/.env", ".vscode/settings.json", "AGENTS.md"]) assert.equal(text(name), "mine\n");
	});

	it("tells of protected places that it made, or put in the place of others, by what is on disk afterwards", async () => {
		at.put("workspace/sub/.env", "mine\n");
		const { confined } = await at.work(
			"mkdir .vscode; echo {} > .vscode/tasks.json; mv sub was; mkdir sub; echo evil > sub/.env; mkdir -p n/.git; echo plain > plain",
		);
		assert.deepEqual(new Set(confined?.touched), new Set([".vscode", "sub/.env", "was/.env", "n/.git"].map(inside)));
		assert.deepEqual((await at.work("echo more > plain")).confined?.touched, []);
	});

	it("leaves nothing in the workspace that it did not make", async () => {
		at.put("workspace/a", "a");
		commitAll(at.folder);
		const before = execFileSync("find", [at.folder], { encoding: "utf8" });
		await at.work("true");
		await at.work("true", { repository: true });
		assert.equal(execFileSync("find", [at.folder], { encoding: "utf8" }), before);
	});

	it("commits, branches and reads history where git may write its folder, and only there", async () => {
		at.put("workspace/a", "one\n");
		commitAll(at.folder);
		const line = "echo two > a && git add a && git commit -qm second && git checkout -q -b side && git log --format=%s";
		assert.match((await at.work(line)).output, /index\.lock': Read-only file system/);
		const { output, exitCode, confined } = await at.work(line, { repository: true });
		assert.deepEqual([output, exitCode, confined?.touched], ["second\nfirst\n", 0, []]);
		assert.equal(execFileSync("git", ["log", "-1", "--format=%s"], { cwd: at.folder, encoding: "utf8" }), "second\n");
		mkdirSync(inside("deep"));
		assert.equal((await at.work("cd deep && git commit -q --allow-empty -m third", { repository: true })).exitCode, 0);
	});

	it("runs the hooks that are there, and they cannot be changed by each other", async () => {
		at.put("workspace/a", "one\n");
		commitAll(at.folder);
		at.put("workspace/.git/hooks/pre-commit", "#!/bin/sh\necho hook\necho x >> .git/hooks/pre-commit || echo kept\n");
		execFileSync("chmod", ["+x", inside(".git/hooks/pre-commit")]);
		const { output } = await at.work("git commit -q --allow-empty -m hooked", { repository: true });
		assert.match(output, /^hook\n/);
		assert.match(output, /^kept$/m);
		assert.doesNotMatch(text(".git/hooks/pre-commit"), /^x$/m);
	});

	it("commits in a working tree of its own, whose repository lies elsewhere and knows it", async () => {
		const main = join(at.home, "main");
		mkdirSync(main);
		commitAll(main);
		const tree = join(at.folder, "tree");
		execFileSync("git", ["worktree", "add", "-q", tree], { cwd: main });
		const how = { cwd: tree };
		const { output, exitCode } = await at.work(
			"echo x > x && git add x && git commit -qm there && git log -1 --format=%s",
			{ repository: true },
			how,
		);
		assert.deepEqual([output, exitCode], ["there\n", 0]);
		const tries = "echo x >> $(git rev-parse --git-common-dir)/config || echo kept; git config a.b c || echo kept";
		assert.match((await at.work(tries, { repository: true }, how)).output, /kept(.|\n)*kept/);
		// One that merely names a repository opens it for nobody.
		mkdirSync(inside("forged"));
		writeFileSync(inside("forged/.git"), `gitdir: ${main}/.git\n`);
		const forged = await at.work("git commit -q --allow-empty -m forged", { repository: true }, { cwd: inside("forged") });
		assert.match(forged.output, /Read-only file system/);
		renameSync(inside("forged"), inside("gone"));
	});

	it("writes the caches that are named, where they are there", async () => {
		mkdirSync(join(at.home, "cache"));
		const { output } = await at.work("echo x > ~/cache/x && echo cached; echo x > ~/other || echo kept");
		assert.match(output, /^cached\n(.*\n)?kept\n$/);
		assert.equal(readFileSync(join(at.home, "cache/x"), "utf8"), "x\n");
	});

	it("has caches of compilers to itself, kept from one command to the next and nobody else's", async () => {
		const cached = '[ -w "$GOCACHE" ] && echo x >> "$GOCACHE/x" && cat "$GOCACHE/x"';
		assert.equal((await at.work(cached)).output, "x\n");
		assert.equal((await at.work(cached)).output, "x\nx\n");
		const own = await at.work('echo "$GOCACHE"', {}, { env: { HOME: at.home, GOCACHE: "/elsewhere" } });
		assert.equal(own.output, "/elsewhere\n");
		assert.doesNotMatch((await at.run(`echo "[$GOCACHE]"; ls ${at.storage}/caches`)).output, /go-build/);
	});

	it("reads what only reading is kept from, our storage excepted", async () => {
		at.put("home/.npmrc", "registry=x\n");
		const kept = at.put("storage/sessions/one.jsonl", SECRET);
		const { output } = await at.work(`cat ~/.npmrc; cat ${kept}`);
		assert.match(output, /^registry=x\n/);
		assert.doesNotMatch(output, new RegExp(SECRET));
	});

	it("has a loopback of its own without the network, and this machine's with it", async () => {
		const server = createServer((socket) => socket.end("hello\n"));
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		const address = server.address();
		const port = typeof address === "object" ? (address?.port ?? 0) : 0;
		const reach = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`;
		try {
			assert.doesNotMatch((await at.work(reach)).output, /hello/);
			assert.match((await at.work(reach, { network: true })).output, /hello/);
			const own = `require("net").createServer((s) => s.end("own")).listen(0, "127.0.0.1", function () { require("net").connect(this.address().port).on("data", (d) => { console.log(String(d)); process.exit() }) })`;
			assert.equal((await at.work(`${JSON.stringify(process.execPath)} -e '${own}'`)).output, "own\n");
		} finally {
			server.close();
		}
	});

	it("can speak over sockets of its own, and reaches none that another listens at", async () => {
		const path = inside("service.sock");
		const server = createServer((socket) => socket.end());
		await new Promise<void>((resolve) => server.listen(path, resolve));
		let reached = 0;
		server.on("connection", () => (reached += 1));
		try {
			const connect = (to: string) =>
				`require("net").connect(${JSON.stringify(to)}).on("error", (e) => console.log(e.code)).on("connect", () => { console.log("reached"); process.exit() })`;
			const node = JSON.stringify(process.execPath);
			for (const network of [true, false]) {
				const own = `require("net").createServer().listen("./own${network}.sock", () => { ${connect(`./own${network}.sock`)} })`;
				const { output } = await at.work(`${node} -e '${connect(path)}'; ${node} -e '${own}'`, { network });
				assert.match(output, /^E\w+\nreached\n$/);
			}
			assert.equal(reached, 0);
		} finally {
			server.close();
		}
	});

	it("writes plain folders of a home that is the workspace, and nothing there that runs by itself", async () => {
		const home = opened({ folder: "home" });
		for (const name of [".bashrc", "bin/tool", "project/a", ".config/x"]) home.put(`home/${name}`, "mine\n");
		const { output } = await home.work(
			"echo x > project/a; for f in .bashrc bin/tool .config/x .profile new; do echo x >> $f && echo OUT $f; done",
		);
		assert.doesNotMatch(output, /OUT/);
		assert.equal(readFileSync(join(home.home, "project/a"), "utf8"), "x\n");
	});

	it("is kept in in the background, too, and ends whole when it is stopped", async () => {
		const stop = new AbortController();
		let ended: (() => void) | undefined;
		const over = new Promise<void>((resolve) => {
			ended = resolve;
		});
		const how = { background: true, signal: stop.signal, onEnd: () => ended?.() };
		const { running, confined } = await at.work("(env -i setsid sleep 999.5 &); touch made; exec sleep 999.5", {}, how);
		assert.deepEqual([running, confined?.kind], [true, "workspace"]);
		stop.abort();
		await over;
		assert.equal(existsSync(inside("made")), true);
		const left = execFileSync("ps", ["-eo", "args"], { encoding: "utf8" });
		assert.doesNotMatch(left, /sleep 999\.5/);
	});
});
