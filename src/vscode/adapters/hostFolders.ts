// Lists the editor's folders on a machine from its API, environment and conventions; pure, for every platform.
import { posix, win32 } from "node:path";
import type { HostFolder } from "../../core/ports/gate.ts";

export interface HostFacts {
	platform: NodeJS.Platform;
	env: Readonly<Record<string, string | undefined>>;
	homes: readonly string[];
	/** The extension's own, as the API names it. */
	globalStorage: string;
	appRoot: string;
	/** Folders of all extensions. */
	extensions: readonly string[];
	/** The folder of this one, where it is installed and not being worked on. */
	installedPath?: string;
}

/** Editors of this family keep their things under these names: below the home folder, and below where applications keep theirs. */
const DOT_FOLDERS = [
	...[
		".vscode",
		".vscode-insiders",
		".vscode-exploration",
		".vscode-oss",
		".vscode-oss-dev",
		".vscode-cli",
		".vscodium",
		".vscodium-insiders",
	],
	...[".vscode-server", ".vscode-server-insiders", ".vscode-server-oss", ".vscode-remote", ".vscode-remote-insiders", ".vscodium-server"],
	...[".vscode-remote-containers", ".vscode-shared", ".cursor", ".cursor-server", ".windsurf", ".windsurf-server", ".codeium", ".trae"],
	...[".trae-server", ".kiro", ".kiro-server", ".positron", ".positron-server", ".antigravity", ".antigravity-server", ".void-editor"],
	...[".local/share/code-server", ".config/code-server", ".local/share/openvscode-server", ".openvscode-server"],
];
const APPLICATIONS = [
	...["Code", "Code - Insiders", "Code - Exploration", "Code - OSS", "code-oss-dev", "VSCodium", "VSCodium - Insiders", "Cursor"],
	...["Windsurf", "Trae", "Kiro", "Positron", "Antigravity", "Void", "code-server"],
];
/** Dev containers keep the server there. */
const CONTAINER = ["/vscode", "/.vscode-server", "/.vscode-remote"];

export function listHostFolders(facts: HostFacts): HostFolder[] {
	const { env, homes, platform } = facts;
	const path = platform === "win32" ? win32 : posix;
	const data = [
		userData(facts.globalStorage, path),
		...["VSCODE_PORTABLE", "VSCODE_AGENT_FOLDER", "VSCODE_APPDATA"].map((name) => env[name]),
		...homes.flatMap((home) => DOT_FOLDERS.map((name) => path.join(home, name))),
		...homes.flatMap((home) => applicationData(home, facts, path).flatMap((folder) => APPLICATIONS.map((name) => path.join(folder, name)))),
		...(platform === "win32" ? [] : CONTAINER),
	];
	const known = listed(data, "data", path);
	// Who runs the editor from its sources is working on it.
	const app = env["VSCODE_DEV"] ? [] : [installation(facts.appRoot, path)];
	const programs = [
		...app,
		...extensionFolders(
			facts,
			known.map((folder) => folder.path),
			path,
		),
		env["VSCODE_EXTENSIONS"],
	];
	const search = (env["PATH"] ?? env["Path"] ?? "").split(path.delimiter).map((entry) => entry.replaceAll('"', ""));
	return [...known, ...listed(programs, "programs", path), ...listed(search, "search path", path)];
}

function listed(folders: readonly (string | undefined)[], kind: HostFolder["kind"], path: typeof posix): HostFolder[] {
	const absolute = folders.filter((folder) => folder !== undefined && path.isAbsolute(folder)) as string[];
	const named = new Set(absolute.map((folder) => path.resolve(folder)));
	// The root of a file system tells nothing.
	return [...named].filter((folder) => path.dirname(folder) !== folder).map((folder) => ({ path: folder, kind }));
}

/** From `…/User/globalStorage/x` the folder that `User` lies in, of a server the one that holds its programs, too. */
function userData(folder: string, path: typeof posix): string {
	// The nearest, for people are called "user" as well.
	const user = ancestors(folder, path).find((candidate) => path.basename(candidate) === "User");
	if (user === undefined) return folder;
	const own = path.dirname(user);
	const server = path.basename(own) === "data" && /server|remote/i.test(path.basename(path.dirname(own)));
	return server ? path.dirname(own) : own;
}

/** The whole of an application, from where its code lies: on a Mac its bundle. */
function installation(appRoot: string, path: typeof posix): string {
	const above = ancestors(appRoot, path);
	const bundle = above.findLast((folder) => /\.app$/i.test(folder));
	if (bundle !== undefined) return bundle;
	return /[\\/]resources[\\/]app$/i.test(appRoot) ? path.dirname(path.dirname(appRoot)) : appRoot;
}

/** Those that are installed lie together, one that is being worked on lies wherever its project is. */
function extensionFolders(
	{ extensions, installedPath: installed, appRoot }: HostFacts,
	known: readonly string[],
	path: typeof posix,
): string[] {
	const within = (folder: string, outer: string) =>
		folder === outer || folder.startsWith(outer.endsWith(path.sep) ? outer : outer + path.sep);
	const shared = installed === undefined ? undefined : path.dirname(installed);
	const found = extensions
		.filter((folder) => !within(folder, appRoot))
		.map((folder) => {
			const parent = path.dirname(folder);
			return parent === shared || known.some((outer) => within(parent, outer)) ? parent : folder;
		});
	return [...new Set([...found, ...(shared === undefined ? [] : [shared])])];
}

function applicationData(home: string, { platform, env }: HostFacts, path: typeof posix): string[] {
	if (platform === "win32")
		return [env["APPDATA"] ?? path.join(home, "AppData", "Roaming"), env["LOCALAPPDATA"] ?? path.join(home, "AppData", "Local")];
	if (platform === "darwin") return [path.join(home, "Library", "Application Support")];
	return [path.join(home, ".config"), ...(env["XDG_CONFIG_HOME"] ? [env["XDG_CONFIG_HOME"]] : [])];
}

/** From the folder upwards. */
function ancestors(folder: string, path: typeof posix): string[] {
	const found = [folder];
	for (let at = folder; path.dirname(at) !== at; at = path.dirname(at)) found.push(path.dirname(at));
	return found;
}
