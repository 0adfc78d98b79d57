// Tests finding bash on every platform with made-up files, variables, PATH folders and registry.
import assert from "node:assert/strict";
import { posix, win32 } from "node:path";
import { findShell, parseRegistryValue, type ShellEnvironment } from "../../../../src/platform/programs/shell.ts";

interface MadeUp {
	platform: NodeJS.Platform;
	files?: string[];
	setting?: string;
	variables?: Record<string, string>;
	registry?: Record<string, string>;
	gitFolder?: string;
}

function machine({ platform, files = [], setting = "", variables = {}, registry = {}, gitFolder }: MadeUp): ShellEnvironment {
	const paths = platform === "win32" ? win32 : posix;
	const isFile = async (path: string) => files.includes(path);
	return {
		platform,
		setting,
		isFile,
		getVariable: (name) => variables[name],
		readRegistry: async (key, value) => registry[`${key} ${value}`],
		findGitFolder: async () => gitFolder,
		async findOnPath(name, path) {
			const tried = path.split(paths.delimiter).map((folder) => paths.join(folder, platform === "win32" ? `${name}.exe` : name));
			return tried.find((file) => files.includes(file));
		},
	};
}

const WSL = "C:\\Windows\\System32\\bash.exe";
const STORE = "C:\\Users\\ann\\AppData\\Local\\Microsoft\\WindowsApps\\bash.exe";
const GIT = "C:\\Program Files\\Git\\bin\\bash.exe";

describe("the bash of commands", () => {
	const found: [string, MadeUp, string][] = [
		[
			"is the one on the PATH",
			{ platform: "linux", files: ["/usr/bin/bash", "/bin/bash"], variables: { PATH: "/usr/bin:/bin" } },
			"/usr/bin/bash",
		],
		[
			"is found where the PATH of an editor from the dock is short",
			{ platform: "darwin", files: ["/opt/homebrew/bin/bash", "/bin/bash"], variables: { PATH: "/usr/bin" } },
			"/opt/homebrew/bin/bash",
		],
		[
			"is macOS's own where there is no other",
			{ platform: "darwin", files: ["/bin/bash"], variables: { PATH: "/usr/bin:/bin" } },
			"/bin/bash",
		],
		[
			"is the one that the setting names, whatever the PATH has",
			{ platform: "darwin", setting: "/opt/mine/bash", files: ["/opt/mine/bash", "/bin/bash"], variables: { PATH: "/bin" } },
			"/opt/mine/bash",
		],
		[
			"is where the registry says that Git for Windows is",
			{
				platform: "win32",
				registry: { "HKLM\\SOFTWARE\\GitForWindows InstallPath": "D:\\Git" },
				files: ["D:\\Git\\bin\\bash.exe", WSL],
				variables: { PATH: "C:\\Windows\\System32" },
			},
			"D:\\Git\\bin\\bash.exe",
		],
		[
			"is that of the person's own installation before the machine's",
			{
				platform: "win32",
				registry: { "HKCU\\SOFTWARE\\GitForWindows InstallPath": "E:\\Git", "HKLM\\SOFTWARE\\GitForWindows InstallPath": "D:\\Git" },
				files: ["D:\\Git\\bin\\bash.exe", "E:\\Git\\bin\\bash.exe"],
			},
			"E:\\Git\\bin\\bash.exe",
		],
		["is in a program folder", { platform: "win32", variables: { ProgramFiles: "C:\\Program Files" }, files: [GIT] }, GIT],
		[
			"is in the person's own program folder",
			{
				platform: "win32",
				variables: { LocalAppData: "C:\\Users\\ann\\AppData\\Local" },
				files: ["C:\\Users\\ann\\AppData\\Local\\Programs\\Git\\usr\\bin\\bash.exe"],
			},
			"C:\\Users\\ann\\AppData\\Local\\Programs\\Git\\usr\\bin\\bash.exe",
		],
		[
			"is beside the git that answers",
			{ platform: "win32", gitFolder: "F:/tools/git/mingw64/libexec/git-core", files: ["F:\\tools\\git\\bin\\bash.exe"] },
			"F:\\tools\\git\\bin\\bash.exe",
		],
		[
			"is never one of Windows' own, whatever comes first on the PATH",
			{
				platform: "win32",
				variables: { PATH: `${win32.dirname(WSL)};${win32.dirname(STORE)};C:\\msys64\\usr\\bin` },
				files: [WSL, STORE, "C:\\msys64\\usr\\bin\\bash.exe"],
			},
			"C:\\msys64\\usr\\bin\\bash.exe",
		],
	];
	for (const [name, facts, file] of found) {
		it(name, async () => {
			assert.deepEqual(await findShell(machine(facts)), { file });
		});
	}

	const missing: [string, MadeUp, "setting" | "none"][] = [
		[
			"is missing where Windows has its own alone",
			{ platform: "win32", variables: { PATH: `${win32.dirname(WSL)};${win32.dirname(STORE)}` }, files: [WSL, STORE] },
			"none",
		],
		["is missing where there is none", { platform: "linux", variables: { PATH: "/usr/bin" } }, "none"],
		[
			"is not another one where what the setting names is not there",
			{ platform: "linux", setting: "/opt/gone/bash", files: ["/usr/bin/bash"], variables: { PATH: "/usr/bin" } },
			"setting",
		],
		["is none that a relative setting names", { platform: "linux", setting: "bin/bash", files: ["bin/bash"] }, "setting"],
		["is not that of WSL, though the setting names it", { platform: "win32", setting: WSL, files: [WSL] }, "setting"],
	];
	for (const [name, facts, why] of missing) {
		it(name, async () => {
			assert.deepEqual(await findShell(machine(facts)), { missing: why });
		});
	}

	it("is read from what `reg query` prints", () => {
		const printed = "\r\nHKEY_LOCAL_MACHINE\\SOFTWARE\\GitForWindows\r\n    InstallPath    REG_SZ    C:\\Program Files\\Git\r\n\r\n";
		assert.equal(parseRegistryValue(printed, "InstallPath"), "C:\\Program Files\\Git");
		assert.equal(parseRegistryValue(printed, "LibexecPath"), undefined);
	});
});
