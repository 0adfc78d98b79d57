// Places of a view: in which order they cover each other, and which of them are left out.
import assert from "node:assert/strict";
import { isWithin, normalizeRules, type PathRule } from "../../../src/platform/sandbox/policy.ts";

const place = (path: string, seen: PathRule["access"], pinned = false): PathRule => ({
	path,
	access: seen,
	kind: "folder",
	...(pinned && { pinned: true }),
});
const kept = (...places: PathRule[]) => normalizeRules(places).map(({ path, access: seen }) => [path, seen]);

describe("the places of a view", () => {
	it("are said parents first, whatever order they came in, and the last word on a path counts", () => {
		assert.deepEqual(
			kept(place("/home/me", "readable"), place("/home", "hidden"), place("/home/me/.ssh", "readable"), place("/home/me/.ssh", "hidden")),
			[
				["/home", "hidden"],
				["/home/me", "readable"],
				["/home/me/.ssh", "hidden"],
			],
		);
	});

	it("are left out where they change nothing", () => {
		assert.deepEqual(
			kept(place("/usr", "readable"), place("/w", "writable"), place("/w/a", "writable"), place("/h", "hidden"), place("/h/i", "hidden")),
			[
				["/h", "hidden"],
				["/w", "writable"],
			],
		);
		assert.deepEqual(kept(place("/tmp", "own"), place("/tmp/x", "blank"), place("/tmp/w", "writable"), place("/tmp/w/.git", "readable")), [
			["/tmp", "own"],
			["/tmp/w", "writable"],
			["/tmp/w/.git", "readable"],
		]);
	});

	it("are said all the same where nobody may move them away", () => {
		assert.deepEqual(kept(place("/w", "writable"), place("/w/.git", "writable", true)), [
			["/w", "writable"],
			["/w/.git", "writable"],
		]);
	});

	it("have links only where those would not be seen", () => {
		assert.deepEqual(kept(place("/run", "hidden"), place("/run/l", { link: "/usr" }), place("/usr/l", { link: "/bin" })), [
			["/run", "hidden"],
			["/run/l", { link: "/usr" }],
		]);
	});

	it("know what lies below a folder by whole names", () => {
		assert.deepEqual(
			[isWithin("/a/b", "/a"), isWithin("/a", "/a"), isWithin("/ab", "/a"), isWithin("/a", "/"), isWithin("/", "/a")],
			[true, true, false, true, false],
		);
	});
});
