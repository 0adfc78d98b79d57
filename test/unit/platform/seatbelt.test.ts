// Tests the macOS sandbox profile as text: rules, their order, and paths that would break out.
import assert from "node:assert/strict";
import type { PathRule, SandboxPolicy } from "../../../src/platform/sandbox/policy.ts";
import { createSeatbeltProfile } from "../../../src/platform/sandbox/seatbelt.ts";

const OWN = "/private/var/folders/x/troupe-1";

function profile(places: PathRule[], view: Partial<SandboxPolicy> = {}): string[] {
	return createSeatbeltProfile({ rules: places, network: false, workspaceWrite: false, ...view }, OWN).split("\n");
}

const folder = (path: string, seen: PathRule["access"]): PathRule => ({ path, access: seen, kind: "folder" });
const file = (path: string, seen: PathRule["access"]): PathRule => ({ path, access: seen, kind: "file" });

describe("the profile for macOS", () => {
	it("lets what only reads write its own passing files, and nothing over the network", () => {
		assert.deepEqual(profile([]), [
			"(version 1)",
			"(allow default)",
			"(deny network*)",
			"(deny signal)",
			"(allow signal (target same-sandbox))",
			"(deny appleevent-send)",
			...["open", "osascript"].map((name) => `(deny process-exec (literal "/usr/bin/${name}"))`),
			'(deny process-exec (literal "/bin/launchctl"))',
			...["at", "crontab"].map((name) => `(deny process-exec (literal "/usr/bin/${name}"))`),
			"(deny file-write*)",
			'(allow file-write* (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty") (literal "/dev/stdout") (literal "/dev/stderr") (literal "/dev/dtracehelper") (regex #"^/dev/fd/[0-9]+$"))',
			`(allow file-read* file-write* (subpath "${OWN}"))`,
			'(allow file-read-metadata (literal "/private") (literal "/private/var") (literal "/private/var/folders") (literal "/private/var/folders/x"))',
			"",
		]);
	});

	it("hides folders and files, and shows what is needed below them", () => {
		const lines = profile([
			folder("/Users", "hidden"),
			folder("/Users/me", "readable"),
			folder("/Users/me/.ssh", "hidden"),
			file("/Users/me/.npmrc", "blank"),
			folder("/tmp", "own"),
		]);
		const rules = lines.filter((line) => line.includes("/Users"));
		assert.deepEqual(rules.slice(0, -1), [
			'(deny file-read* file-write* (subpath "/Users"))',
			'(allow file-read* (subpath "/Users/me"))',
			'(deny file-write* (subpath "/Users/me"))',
			'(deny file-read* file-write* (literal "/Users/me/.npmrc"))',
			'(deny file-read* file-write* (subpath "/Users/me/.ssh"))',
		]);
		assert.match(rules.at(-1) ?? "", /^\(allow file-read-metadata .*\(literal "\/Users"\)/);
	});

	it("opens the workspace, shuts protected places in it, and keeps them from being moved away", () => {
		const lines = profile(
			[folder("/w", "writable"), { ...folder("/w/.git", "readable"), pinned: true }, { ...folder("/w/x", "writable"), pinned: true }],
			{
				network: true,
			},
		);
		assert.ok(!lines.includes("(deny network*)"));
		assert.deepEqual(
			lines.filter((line) => line.includes('"/w')),
			[
				'(allow file-read* file-write* (subpath "/w"))',
				'(allow file-read* (subpath "/w/.git"))',
				'(deny file-write* (subpath "/w/.git"))',
				'(allow file-read* file-write* (subpath "/w/x"))',
				'(deny file-write-unlink (literal "/w/x"))',
				'(allow file-read-metadata (literal "/private") (literal "/private/var") (literal "/private/var/folders") (literal "/private/var/folders/x") (literal "/w"))',
			],
		);
	});

	it("holds every path in its quotes, and refuses what cannot be written down", () => {
		const lines = profile([folder('/w/a"b', "writable"), folder("/w/c\\d", "writable"), folder("/w/(e) 'f'; #|g|#", "writable")]);
		assert.ok(lines.includes('(allow file-read* file-write* (subpath "/w/a\\"b"))'));
		assert.ok(lines.includes('(allow file-read* file-write* (subpath "/w/c\\\\d"))'));
		assert.ok(lines.includes("(allow file-read* file-write* (subpath \"/w/(e) 'f'; #|g|#\"))"));
		for (const path of ["/w/\n(allow default)", "/w/\0", "/w/\u0085", "/w/\u007f"]) {
			assert.throws(() => profile([folder(path, "writable")]), /control character\. Nothing ran\./, JSON.stringify(path));
		}
	});
});
