// Tests the read-only sandbox from inside: visible files, network, sockets and processes.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { commitAll, describeKeptIn, SECRET, type Yard, yard } from "./sandboxSupport.ts";

describeKeptIn("a command that is kept in to read", () => {
	let at: Yard;
	beforeEach(() => {
		at = yard({ readableFolders: ["skills"] });
	});
	afterEach(() => at.dispose());

	it("reads the workspace, in its folder, with its output and exit code", async () => {
		at.put("workspace/a.txt", "one\n");
		const result = await at.run("cat a.txt; pwd; echo err >&2; exit 3");
		assert.deepEqual([result.output, result.exitCode], [`one\n${at.folder}\nerr\n`, 3]);
		assert.deepEqual(result.confined, { kind: "read", network: false, touched: [] });
		assert.deepEqual(at.said, ["sandbox: The sandbox is available."]);
	});

	it("writes nothing, wherever it tries, and has a folder for passing files that is gone with it", async () => {
		at.put("workspace/a.txt", "one\n");
		const { output } = await at.run(
			"echo x > a.txt; echo x > new.txt; rm -f a.txt; mkdir made; touch ~/made /made /etc/made; echo kept > /tmp/mine && cat /tmp/mine; touch /var/tmp/mine && ls /tmp /var/tmp",
		);
		assert.equal(readFileSync(join(at.folder, "a.txt"), "utf8"), "one\n");
		for (const made of [join(at.folder, "new.txt"), join(at.folder, "made"), join(at.home, "made"), "/made", "/etc/made", "/tmp/mine"]) {
			assert.equal(existsSync(made), false, made);
		}
		assert.match(output, /Read-only file system/);
		assert.match(output, /^kept$/m);
		assert.doesNotMatch((await at.run("ls /tmp /var/tmp")).output, /^mine$/m);
	});

	it("sees its own processes only, and can signal no other", async () => {
		const { output } = await at.run(`ls /proc | grep -c '^[0-9]'; kill -0 ${process.pid} && echo reached`);
		assert.ok(Number.parseInt(output, 10) < 10, output);
		assert.doesNotMatch(output, /^reached$/m);
	});

	it("finds nothing in known places of credentials, what they are called being seen", async () => {
		for (const name of [".ssh/id_ed25519", ".aws/credentials", ".config/gh/hosts.yml", ".mozilla/firefox/x/logins.json"])
			at.put(`home/${name}`, SECRET);
		for (const name of [".npmrc", ".netrc", ".docker/config.json", ".cargo/credentials.toml", ".m2/settings.xml"])
			at.put(`home/${name}`, SECRET);
		mkdirSync(join(at.home, "elsewhere"));
		at.put("home/elsewhere/token", SECRET);
		symlinkSync(join(at.home, "elsewhere"), join(at.home, ".kube"));
		const { output } = await at.run("ls -A ~; cat ~/.npmrc; find ~ -type f -exec cat {} +; cat ~/.kube/token ~/.docker/config.json");
		assert.doesNotMatch(output, new RegExp(SECRET));
		assert.match(output, /^\.ssh$/m);
	});

	it("finds its tools, its configuration of git and plain files of the home folder", async () => {
		at.put("home/.config/git/config", "[user]\n\tname = Me\n");
		at.put("home/.config/git/ignore", "*.swp\n");
		at.put("home/notes.txt", "plain");
		chmodSync(at.put("home/.fly/bin/flytool", "#!/bin/sh\necho tool\n"), 0o755);
		at.put("home/.fly/config.yml", SECRET);
		chmodSync(at.put("home/.docker/bin/dockertool", "#!/bin/sh\ncat ~/.docker/lib/part\n"), 0o755);
		at.put("home/.docker/lib/part", "part\n");
		at.put("home/.docker/config.json", SECRET);
		const path = `${at.home}/.fly/bin:${at.home}/.docker/bin:${process.env["PATH"]}`;
		const command =
			"git config --global user.name; cat ~/.config/git/ignore ~/notes.txt; flytool; dockertool; cat ~/.fly/config.yml ~/.docker/config.json";
		const { output } = await at.run(command, {}, { env: { HOME: at.home, PATH: path } });
		assert.match(output, /^Me\n\*\.swp\nplaintool\npart\n/);
		assert.doesNotMatch(output, new RegExp(SECRET));
	});

	it("cannot open the protected files it is told of, but those that git tracks", async () => {
		const tracked = at.put("workspace/tracked/.env", "IN=git\n");
		commitAll(at.folder);
		const secret = at.put("workspace/.env", SECRET);
		const folder = join(at.folder, "secrets");
		at.put("workspace/secrets/one", SECRET);
		symlinkSync(".env", join(at.folder, "link"));
		const confine = { masked: [tracked, secret, folder, join(at.folder, "gone")] };
		const { output } = await at.run("cat tracked/.env; git status --short; cat .env link; grep -r canary . ; ls secrets", confine);
		assert.match(output, /^IN=git\n\?\? \.env\n\?\? link\n/);
		assert.match(output, /cat: \.env: Permission denied/);
		assert.doesNotMatch(output, new RegExp(SECRET));
		// Asked again, the index being another one.
		commitAll(at.folder);
		assert.match((await at.run("cat .env", confine)).output, new RegExp(SECRET));
	});

	it("sees nothing of our storage but what is meant for it", async () => {
		const kept = at.put("storage/sessions/one.jsonl", SECRET);
		const guide = at.put("storage/skills/SKILL.md", "guide\n");
		const { output } = await at.run(`cat ${kept}; cat ${guide}; ls ${at.storage}`);
		assert.match(output, /^cat: .*one\.jsonl: No such file or directory\nguide\nskills\n$/);
	});

	it("has no network, not even of this machine", async () => {
		const { server, port } = await listening(0);
		let reached = 0;
		server.on("connection", () => {
			reached += 1;
		});
		try {
			const { output } = await at.run(
				`exec 3<>/dev/tcp/127.0.0.1/${port} && echo reached; ls /sys/class/net 2>/dev/null; cat /proc/net/dev`,
			);
			assert.doesNotMatch(output, /reached/);
			assert.equal(reached, 0);
		} finally {
			server.close();
		}
	});

	it("reaches no socket, neither one of the file system nor an abstract one", async () => {
		const path = join(at.folder, "service.sock");
		const servers = [await listening(path), await listening(`\0troupe-test-${process.pid}`)];
		let reached = 0;
		for (const { server } of servers) server.on("connection", () => (reached += 1));
		try {
			const script = `for (const path of [${JSON.stringify(path)}, "\\0troupe-test-${process.pid}"]) require("net").connect(path).on("error", (error) => console.log(error.code)).on("connect", () => console.log("reached"))`;
			const { output } = await at.run(`${JSON.stringify(process.execPath)} -e '${script}'`);
			assert.deepEqual([output, reached], ["EAFNOSUPPORT\nEAFNOSUPPORT\n", 0]);
		} finally {
			for (const { server } of servers) server.close();
		}
	});

	it("has what a protected place hides in its way: a workspace in a credential folder, or in another person's home", async () => {
		const inside = yard({ folder: "home/.config/gh/project" });
		try {
			inside.put("home/.config/gh/project/a.txt", "mine\n");
			inside.put("home/.config/gh/hosts.yml", SECRET);
			const { output } = await inside.run("cat a.txt; cat ../hosts.yml; ls ..");
			assert.match(output, /^mine\n/);
			assert.match(output, /^project$/m);
			assert.doesNotMatch(output, new RegExp(SECRET));
		} finally {
			await inside.dispose();
		}
	});

	it("sees no passwords of the system, as root", async function () {
		if (process.getuid?.() !== 0 || !existsSync("/etc/shadow")) return this.skip();
		assert.equal((await at.run("cat /etc/shadow")).output, "cat: /etc/shadow: Permission denied\n");
	});

	it("sees nothing of other people's homes but programs that it is told to find there", async function () {
		if (process.getuid?.() !== 0) return this.skip();
		const other = mkdtempSync("/home/troupe-test-");
		try {
			chmodSync(other, 0o755);
			mkdirSync(join(other, "bin"));
			writeFileSync(join(other, "bin/othertool"), "#!/bin/sh\necho tool\n", { mode: 0o755 });
			writeFileSync(join(other, "secret"), SECRET);
			const env = { HOME: at.home, PATH: `${other}/bin:${process.env["PATH"]}` };
			const { output } = await at.run(`othertool; cat ${other}/secret; ls /home /root`, {}, { env });
			assert.match(output, /^tool\n/);
			assert.doesNotMatch(output, new RegExp(SECRET));
			assert.doesNotMatch((await at.run("ls /home")).output, /troupe-test/);
		} finally {
			rmSync(other, { recursive: true });
		}
	});

	it("speaks English, whatever the language of the machine, in the character set that is in force", async () => {
		const { output } = await at.run(
			"cat missing; locale -k charmap 2>/dev/null; echo $LC_MESSAGES",
			{},
			{ env: { HOME: at.home, LC_ALL: "de_DE.UTF-8" } },
		);
		assert.match(output, /No such file or directory/);
		assert.match(output, /^C$/m);
	});

	it("runs in a workspace whose folder is a link, by either name", async () => {
		const linked = yard({ linked: true });
		try {
			linked.put("workspace/a.txt", "one\n");
			assert.equal((await linked.run(`cat a.txt ${linked.folder}/a.txt`)).output, "one\none\n");
			assert.equal((await linked.work("echo two > a.txt; cat a.txt")).output, "two\n");
			assert.deepEqual((await linked.work("mkdir .vscode")).confined?.touched.length, 1);
		} finally {
			await linked.dispose();
		}
	});

	it("is stopped whole, with children that cleared their environment and left the session", async () => {
		const mark = `77${process.pid}.25`;
		const detached = `env -i setsid -f sleep ${mark}; (setsid sleep ${mark} &) ; echo started`;
		await at.run(detached);
		assert.deepEqual(running(mark), []);
		const stop = new AbortController();
		const command = at.run(`${detached}; exec sleep ${mark}`, {}, { signal: stop.signal, onOutput: () => stop.abort() });
		assert.equal((await command).stopped, "cancelled");
		assert.deepEqual(running(mark), []);
	});
});

/** Process ids of those that have this word. */
function running(word: string): string[] {
	return readdirSync("/proc").filter((pid) => {
		try {
			return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").includes(word);
		} catch {
			return false;
		}
	});
}

interface Listening {
	server: Server;
	port: number;
}

function listening(where: number | string): Promise<Listening> {
	const server = createServer((socket) => socket.destroy());
	return new Promise((resolve, reject) => {
		server.once("error", reject);
		const done = () => {
			const address = server.address();
			resolve({ server, port: typeof address === "object" ? (address?.port ?? 0) : 0 });
		};
		if (typeof where === "number") server.listen(where, "127.0.0.1", done);
		else server.listen(where, done);
	});
}
