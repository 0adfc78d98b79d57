// Paths as people see them: one rule for tools, events and messages, on every platform.
import assert from "node:assert/strict";
import { formatDisplayPath, relativePathWithin, toAbsolutePath } from "../../../src/core/paths.ts";

const folders = (...paths: string[]) => paths.map((path) => ({ name: path.split(/[\\/]/).filter(Boolean).at(-1) ?? "", path }));

describe("a path as it is shown", () => {
	const cases: [string, string[], string, string][] = [
		["is relative to the one folder", ["/w/shop"], "/w/shop/src/a.ts", "src/a.ts"],
		["is a dot for the folder itself", ["/w/shop"], "/w/shop", "."],
		["does not mind a slash at the folder's end", ["/w/shop/"], "/w/shop/a.ts", "a.ts"],
		["begins with the folder's name where there are several", ["/w/shop", "/w/tools"], "/w/tools/a.ts", "tools/a.ts"],
		["is the name for a folder among several", ["/w/shop", "/w/tools"], "/w/tools", "tools"],
		["belongs to the innermost folder, whichever comes first", ["/w/shop", "/w/shop/part"], "/w/shop/part/a.ts", "part/a.ts"],
		["belongs to the innermost folder, whichever comes last", ["/w/shop/part", "/w/shop"], "/w/shop/part/a.ts", "part/a.ts"],
		["stays absolute outside", ["/w/shop"], "/w/other/a.ts", "/w/other/a.ts"],
		["stays absolute beside a folder whose name it begins with", ["/w/shop"], "/w/shop2/a.ts", "/w/shop2/a.ts"],
		["is inside though its name begins with two dots", ["/w/shop"], "/w/shop/..x/...", "..x/..."],
		["is outside when it climbs out", ["/w/shop"], "/w/shop/../a.ts", "/w/shop/../a.ts"],
		["is inside when it climbs and comes back", ["/w/shop"], "/w/shop/src/../a.ts", "a.ts"],
		["is below a root", ["/"], "/a/b", "a/b"],
		["tells case apart", ["/w/Shop"], "/w/shop/a.ts", "/w/shop/a.ts"],
		["keeps a backslash that is part of a name", ["/w"], "/w/a\\b", "a\\b"],
		["has slashes on Windows", ["C:\\w\\shop"], "C:\\w\\shop\\src\\a.ts", "src/a.ts"],
		["takes either letter case of a Windows drive", ["c:\\w\\shop"], "C:\\w\\shop\\A.ts", "A.ts"],
		["takes either separator of Windows", ["C:\\w\\shop"], "c:/w/shop/src/a.ts", "src/a.ts"],
		["does not tell case apart on Windows, and keeps it", ["C:\\W\\Shop"], "C:\\w\\shop\\Src\\A.ts", "Src/A.ts"],
		["stays absolute on another drive", ["C:\\w"], "D:\\w\\a.ts", "D:\\w\\a.ts"],
		["is found on a share", ["\\\\server\\share\\w"], "\\\\Server\\share\\w\\a.ts", "a.ts"],
		["stays as it is without a folder", [], "/w/a.ts", "/w/a.ts"],
	];
	for (const [what, places, path, want] of cases) it(what, () => assert.equal(formatDisplayPath(path, folders(...places)), want));

	it("is nothing for the folder that holds it, and undefined elsewhere", () => {
		assert.deepEqual(
			[
				relativePathWithin("/w", "/w"),
				relativePathWithin("/w", "/w/a"),
				relativePathWithin("/w", "/x"),
				relativePathWithin("/w", "C:\\w\\a"),
			],
			["", "a", undefined, undefined],
		);
	});
});

describe("an absolute path from a display path", () => {
	const cases: [string, string[], string, string][] = [
		["is below the only folder", ["/w/shop"], "src/a.ts", "/w/shop/src/a.ts"],
		["is below the folder that it names", ["/w/shop", "/w/api"], "api/src/a.ts", "/w/api/src/a.ts"],
		["is the folder itself", ["/w/shop"], ".", "/w/shop"],
		["resolves what climbs", ["/w/shop"], "src/../a.ts", "/w/shop/a.ts"],
		["keeps the slash of a folder", ["/w/shop"], "src/", "/w/shop/src/"],
		["stays absolute", ["/w/shop"], "/x/a.ts", "/x/a.ts"],
		["takes a name like a drive's for a file where there are no drives", ["/w/shop"], "C:a", "/w/shop/C:a"],
		["has the separators of Windows", ["C:\\w\\shop"], "src/a.ts", "C:\\w\\shop\\src\\a.ts"],
		["is below the root of a drive", ["C:\\"], "a.ts", "C:\\a.ts"],
		["is the root of a drive", ["C:\\"], ".", "C:\\"],
		["is below a share", ["\\\\server\\share"], "src/a.ts", "\\\\server\\share\\src\\a.ts"],
		["stays absolute on another drive", ["C:\\w"], "D:\\a.ts", "D:\\a.ts"],
		["stays as it is without a folder", [], "a.ts", "a.ts"],
	];
	for (const [what, places, shown, want] of cases)
		it(what, () => assert.equal(toAbsolutePath({ folders: () => folders(...places) }, shown), want));
});
