// Tests the folders of VS Code that the gate protects.
import assert from "node:assert/strict";
import type { HostFolder } from "../../../src/core/ports/gate.ts";
import { type HostFacts, listHostFolders } from "../../../src/vscode/adapters/hostFolders.ts";

function told(facts: Partial<HostFacts>): HostFolder[] {
	return listHostFolders({
		platform: "linux",
		env: {},
		homes: ["/home/user"],
		globalStorage: "/home/user/.config/Code/User/globalStorage/troupe.troupe",
		appRoot: "/usr/share/code/resources/app",
		extensions: [],
		...facts,
	});
}

const paths = (folders: readonly HostFolder[], kind: HostFolder["kind"]) =>
	folders.filter((folder) => folder.kind === kind).map(({ path }) => path);
const has = (folders: readonly HostFolder[], kind: HostFolder["kind"], ...wanted: string[]) => {
	const found = paths(folders, kind);
	assert.deepEqual(
		wanted.filter((path) => !found.includes(path)),
		[],
		found.join("\n"),
	);
};

describe("folders of the editor", () => {
	it("are its settings and state, its own folder and where extensions lie, on a desktop", () => {
		const folders = told({
			extensions: [
				"/usr/share/code/resources/app/extensions/git",
				"/home/user/.vscode/extensions/a.b-1",
				"/home/user/work/extensions/mine",
			],
			installedPath: "/opt/ext/troupe.troupe-0.1.0",
		});
		has(folders, "data", "/home/user/.config/Code", "/home/user/.vscode", "/home/user/.vscode-server", "/home/user/.cursor");
		assert.deepEqual(paths(folders, "programs"), [
			"/usr/share/code",
			"/home/user/.vscode/extensions",
			"/home/user/work/extensions/mine",
			"/opt/ext",
		]);
	});

	it("are never the folder of a person who is called User, and never the root", () => {
		const wide = ["/", "/home", "/home/user", "/home/user/.config", "/home/user/work"];
		const folders = told({ env: { PATH: "/:/usr/bin:relative:", VSCODE_AGENT_FOLDER: "/" }, extensions: ["/home/user/work/mine"] });
		assert.deepEqual(
			folders.filter(({ path }) => wide.includes(path)),
			[],
		);
		assert.deepEqual(paths(folders, "search path"), ["/usr/bin"]);
	});

	it("are the whole of a server's folder in remotes and containers", () => {
		const server = {
			homes: ["/root"],
			globalStorage: "/data/vscode-server/data/User/globalStorage/troupe.troupe",
			appRoot: "/vscode/bin/linux-x64/abc",
			extensions: ["/data/vscode-server/extensions/a"],
		};
		const folders = told(server);
		has(folders, "data", "/data/vscode-server", "/vscode", "/root/.vscode-server", "/root/.vscode-remote");
		has(folders, "programs", "/vscode/bin/linux-x64/abc", "/data/vscode-server/extensions");
		has(told({ ...server, env: { VSCODE_AGENT_FOLDER: "/mnt/agent" } }), "data", "/mnt/agent");
	});

	it("are those of code-server, of a portable editor and of a profile", () => {
		const share = "/home/user/.local/share/code-server";
		has(told({ globalStorage: `${share}/User/globalStorage/troupe.troupe` }), "data", share);
		has(told({ globalStorage: `${share}/User/profiles/-1a2b/globalStorage/troupe.troupe` }), "data", share);
		has(told({ env: { VSCODE_PORTABLE: "/media/stick/data", VSCODE_EXTENSIONS: "/x/ext" } }), "data", "/media/stick/data");
		has(told({ env: { VSCODE_EXTENSIONS: "/x/ext" } }), "programs", "/x/ext");
		has(told({ globalStorage: "/somewhere/else" }), "data", "/somewhere/else");
	});

	it("are a bundle on a Mac, and where applications keep their data", () => {
		const folders = told({
			platform: "darwin",
			homes: ["/Users/a"],
			globalStorage: "/Users/a/Library/Application Support/Code/User/globalStorage/troupe.troupe",
			appRoot: "/Applications/Visual Studio Code.app/Contents/Resources/app",
		});
		has(folders, "data", "/Users/a/Library/Application Support/Code", "/Users/a/Library/Application Support/Code - Insiders");
		has(folders, "programs", "/Applications/Visual Studio Code.app");
	});

	it("are named as Windows names them", () => {
		const folders = told({
			platform: "win32",
			env: { APPDATA: "D:\\Roaming", Path: '"C:\\Program Files\\Git\\cmd";.;C:\\Windows' },
			homes: ["C:\\Users\\User"],
			globalStorage: "D:\\Roaming\\Code\\User\\globalStorage\\troupe.troupe",
			appRoot: "C:\\Users\\User\\AppData\\Local\\Programs\\Microsoft VS Code\\resources\\app",
			extensions: ["C:\\Users\\User\\.vscode\\extensions\\a"],
		});
		has(folders, "data", "D:\\Roaming\\Code", "D:\\Roaming\\Cursor", "C:\\Users\\User\\.vscode");
		assert.deepEqual(paths(folders, "programs"), [
			"C:\\Users\\User\\AppData\\Local\\Programs\\Microsoft VS Code",
			"C:\\Users\\User\\.vscode\\extensions",
		]);
		assert.deepEqual(paths(folders, "search path"), ["C:\\Program Files\\Git\\cmd", "C:\\Windows"]);
	});

	it("are not the sources of an editor that is run from them", () => {
		assert.deepEqual(paths(told({ env: { VSCODE_DEV: "1" }, appRoot: "/home/user/vscode" }), "programs"), []);
	});
});
