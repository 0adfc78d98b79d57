// Sandboxes that are missing, broken or only pretend: whether one works is tried, and said.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSandbox, type SandboxOptions } from "../../../src/platform/sandbox/sandbox.ts";

describe("whether a sandbox works", () => {
	let home: string;
	let said: string[];
	beforeEach(() => {
		home = realpathSync(mkdtempSync(join(tmpdir(), "probe-")));
		said = [];
	});
	afterEach(() => rmSync(home, { recursive: true }));

	const sandbox = (bwrap: string | undefined, more: Partial<SandboxOptions> = {}) =>
		createSandbox({
			folders: () => [],
			hiddenFolders: [],
			readableFolders: [],
			cacheFolder: join(home, "caches"),
			writableCaches: () => [],
			isProtected: () => false,
			find: async (name) => (name === "bwrap" ? bwrap : "/bin/bash"),
			git: async () => undefined,
			log: (line) => said.push(line),
			home,
			...more,
		});

	/** A `bwrap` that is a script. */
	function pretending(script: string): string {
		const path = join(home, "bwrap");
		writeFileSync(path, `#!/bin/bash\n${script}\n`);
		chmodSync(path, 0o755);
		return path;
	}

	/** Runs what comes after `--`, with all rights. */
	const PASSES = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"';

	const confined = { kind: "read", network: false, masked: [] } as const;
	const start = () => ({ file: "/bin/sh", args: ["-c", "true"], env: {}, cwd: home });

	const cases: [name: string, bwrap: (() => string) | undefined, why: RegExp][] = [
		["is missing", undefined, /bubblewrap isn't installed/],
		["ends at once", () => pretending("exit 1"), /Sandbox check failed: the process exited without output/],
		[
			"says why it does not",
			() => pretending("echo 'bwrap: cannot find a thing' >&2; exit 1"),
			/Sandbox check failed: bwrap: cannot find a thing/,
		],
		[
			"may make no namespaces",
			() => pretending("echo 'bwrap: No permissions to create new namespace, likely because …' >&2; exit 1"),
			/doesn't let programs create namespaces/,
		],
		[
			"cannot mount in a container",
			() => pretending('echo "bwrap: Can\'t mount proc on /newroot/proc: Operation not permitted" >&2; exit 1'),
			/namespaces/,
		],
		["runs the command without keeping it in", () => pretending(PASSES), /could write to a file outside/],
		["is no file", () => home, /Sandbox check failed/],
		[
			"keeps from writing only",
			() =>
				pretending(
					`exec unshare -rm --map-root-user bash -c 'mount --bind "${home}" "${home}"; mount -o remount,bind,ro "${home}"; ${PASSES}' bash "$@"`,
				),
			/could open a network connection/,
		],
	];
	for (const [name, bwrap, why] of cases) {
		it(`is no where bwrap ${name}`, async function () {
			// The half one is made with the means of root.
			if (process.platform !== "linux" || (name.startsWith("keeps") && process.getuid?.() !== 0)) return this.skip();
			const tried = sandbox(bwrap?.());
			assert.equal(await tried.isAvailable(), false);
			assert.match(tried.statusMessage(), why);
			assert.deepEqual(said, [`sandbox: ${tried.statusMessage()}`]);
			assert.deepEqual(
				readdirSync(home).filter((file) => file !== "bwrap"),
				[],
			);
			await assert.rejects(
				tried.confine(start(), confined),
				(error: Error) => error.message.includes("Nothing ran") && why.test(error.message),
			);
		});
	}

	it("is no where bwrap hangs with others that hold its output", async function () {
		this.timeout(25_000);
		const left = join(home, "left");
		const tried = sandbox(pretending(`[ "$1" = --help ] && exit; sleep 300 & echo $! > "${left}"; wait`));
		assert.equal(await tried.isAvailable(), false);
		assert.match(tried.statusMessage(), /Sandbox check failed/);
		const pid = Number(readFileSync(left, "utf8"));
		// A zombie that nobody has collected yet has no words.
		assert.equal(existsSync(`/proc/${pid}`) && readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "", false);
	});

	it("is found out once for all who ask", async () => {
		const tried = sandbox(pretending(`echo x >> ${home}/asked; exit 1`));
		assert.deepEqual(await Promise.all([tried.isAvailable(), tried.isAvailable()]), [false, false]);
		assert.equal(await tried.isAvailable(), false);
		assert.equal(said.length, 1);
	});

	it("is no on Windows, and where the processor is not known", async () => {
		const windows = sandbox("/usr/bin/bwrap", { platform: "win32" });
		assert.equal(await windows.isAvailable(), false);
		assert.match(windows.statusMessage(), /this operating system isn't supported/);
		const strange = sandbox("/usr/bin/bwrap", { platform: "linux", architecture: "mips" });
		assert.equal(await strange.isAvailable(), false);
		assert.match(strange.statusMessage(), /this processor isn't supported/);
	});

	it("is no where the macOS one is missing", async () => {
		if (existsSync("/usr/bin/sandbox-exec")) return;
		const tried = sandbox(undefined, { platform: "darwin" });
		assert.equal(await tried.isAvailable(), false);
		assert.match(tried.statusMessage(), /Sandbox check failed/);
	});
});
