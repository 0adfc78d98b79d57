// Tests the environment of programs: nothing that steers read-only ones, and UTF-8 text.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { findUtf8Locale, withUtf8Locale } from "../../../../src/platform/programs/environment.ts";
import { type Home, home } from "./support.ts";

describe("the environment of a program", () => {
	let at: Home;
	beforeEach(() => {
		at = home();
	});
	afterEach(() => at.dispose());

	it("has git hardened where nobody was asked, and is the person's own where somebody was", async () => {
		const programs = at.programs();
		for (const kind of ["own", "reading"] as const) {
			const env = await programs.environment(kind);
			assert.deepEqual([env["GIT_NO_LAZY_FETCH"], env["GIT_ALLOW_PROTOCOL"], env["GIT_OPTIONAL_LOCKS"]], ["1", "", "0"]);
			const keys = Object.keys(env).filter((name) => name.startsWith("GIT_CONFIG_KEY_"));
			assert.equal(keys.length, Number(env["GIT_CONFIG_COUNT"]));
			assert.ok(keys.every((name) => env[name.replace("KEY", "VALUE")] !== undefined));
		}
		for (const kind of ["approved", "server"] as const) {
			const names = Object.keys(await programs.environment(kind)).filter((name) => name.startsWith("GIT_"));
			assert.deepEqual(names.sort(), ["GIT_EDITOR", "GIT_PAGER", "GIT_TERMINAL_PROMPT"], kind);
		}
	});

	it("has what the settings name, unless it reads unasked: that would be printed, or steer it", async () => {
		const names = [
			"MY_HOME",
			"GIT_EXTERNAL_DIFF",
			"GIT_DIR",
			"BASH_ENV",
			"ENV",
			"LESSOPEN",
			"RIPGREP_CONFIG_PATH",
			"BASH_FUNC_git%%",
			"git_ssh",
		];
		at.set(Object.fromEntries(names.map((name) => [name, "set"])));
		const programs = at.programs([at.work], { extraVariables: () => names });
		const seen = async (kind: "own" | "reading" | "approved" | "server") => {
			const env = await programs.environment(kind);
			return names.filter((name) => env[name] === "set");
		};
		assert.deepEqual(await seen("approved"), names);
		assert.deepEqual(await seen("server"), names);
		assert.deepEqual(await seen("reading"), []);
		assert.deepEqual(await seen("own"), []);
	});

	it("looks for no newer versions of itself", async () => {
		for (const kind of ["own", "reading", "approved", "server"] as const) {
			const env = await at.programs().environment(kind);
			assert.deepEqual([env["NO_UPDATE_NOTIFIER"], env["npm_config_update_notifier"]], ["1", "false"], kind);
		}
	});

	it("cannot have its hardening taken back by what is handed along", async () => {
		const env = await at.programs().environment("reading", { GIT_CONFIG_COUNT: "0", GIT_NO_LAZY_FETCH: "0", MINE: "1" });
		assert.notEqual(env["GIT_CONFIG_COUNT"], "0");
		assert.deepEqual([env["GIT_NO_LAZY_FETCH"], env["MINE"]], ["1", "1"]);
	});

	it("has a PATH of its own cleaned like the editor's", async () => {
		const env = await at.programs().environment("server", { PATH: `.:${at.work}/bin:/bin` });
		assert.equal(env["PATH"], "/bin");
	});

	it("is in UTF-8 whatever the editor's is, and what LC_ALL said goes on beside", async () => {
		const installed = execFileSync("/usr/bin/locale", ["-a"], { encoding: "utf8" });
		assert.match(installed, /utf-?8/i, "this test needs a UTF-8 locale");
		for (const [given, wanted] of [
			[{ LC_ALL: "C", LC_CTYPE: undefined, LANG: "de_DE.UTF-8" }, { LANG: "C" }],
			[{ LC_ALL: undefined, LC_CTYPE: "ja_JP.SJIS", LANG: "C.UTF-8" }, { LANG: "C.UTF-8" }],
			[{ LC_ALL: "", LC_CTYPE: "", LANG: "zh_CN.GB18030" }, { LANG: "zh_CN.GB18030" }],
			[{ LC_ALL: undefined, LC_CTYPE: undefined, LANG: undefined }, {}],
		] as const) {
			at.set(given);
			const { LC_ALL, LC_CTYPE, LANG, ...env } = await at.programs().environment("approved");
			assert.deepEqual([LC_ALL, LANG], [undefined, (wanted as { LANG?: string }).LANG]);
			const charset = execFileSync("/usr/bin/locale", ["charmap"], {
				env: { ...env, LC_CTYPE, LANG: LANG ?? "" },
				encoding: "utf8",
				stdio: ["ignore", "pipe", "ignore"],
			});
			assert.equal(charset.trim(), "UTF-8");
		}
	});

	it("sorts the names that a pattern stands for as the gate does, where nobody was asked", async () => {
		at.set({ LC_ALL: "en_US.UTF-8", LANG: "de_DE.UTF-8" });
		const reading = await at.programs().environment("reading");
		assert.deepEqual(
			["LC_ALL", "LANG", "LC_CTYPE", "LC_COLLATE"].map((name) => reading[name]),
			[undefined, "en_US.UTF-8", "en_US.UTF-8", "C"],
		);
		assert.equal((await at.programs().environment("approved"))["LC_ALL"], "en_US.UTF-8");
	});

	it("keeps a locale that is in UTF-8 already", async () => {
		for (const given of [
			{ LC_ALL: "de_DE.utf8", LC_CTYPE: "C", LANG: "C" },
			{ LC_ALL: undefined, LC_CTYPE: "UTF-8", LANG: "C" },
			{ LC_ALL: undefined, LC_CTYPE: undefined, LANG: "sr_RS.UTF-8@latin" },
		]) {
			at.set(given);
			const { LC_ALL, LC_CTYPE, LANG } = await at.programs().environment("approved");
			assert.deepEqual({ LC_ALL, LC_CTYPE, LANG }, given);
		}
	});
});

describe("a locale in UTF-8", () => {
	it("is the plainest that is installed, by its files", async () => {
		const root = mkdtempSync(join(tmpdir(), "root-"));
		const install = (path: string) => {
			mkdirSync(dirname(join(root, path)), { recursive: true });
			writeFileSync(join(root, path), "");
		};
		assert.equal(await findUtf8Locale(root), "C");
		for (const [path, locale] of [
			["usr/lib/locale/C.utf8/LC_TIME", "C"],
			["usr/share/locale/en_US.UTF-8/LC_CTYPE", "en_US.UTF-8"],
			["usr/lib/locale/en_US.utf8/LC_CTYPE", "en_US.UTF-8"],
			["usr/lib/locale/C.utf8/LC_CTYPE", "C.UTF-8"],
		] as const) {
			install(path);
			assert.equal(await findUtf8Locale(root), locale);
		}
		rmSync(root, { recursive: true });
		install("lib/ld-musl-x86_64.so.1");
		assert.equal(await findUtf8Locale(root), "C.UTF-8");
		rmSync(root, { recursive: true });
	});

	it("is not asked for where none is needed", async () => {
		await withUtf8Locale({ LANG: "C.UTF-8" }, () => assert.fail("asked"));
	});
});
