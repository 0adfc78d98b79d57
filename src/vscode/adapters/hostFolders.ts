// Lists the editor's folders from its API, environment and conventions; pure, for every platform.
import { posix, win32 } from "node:path";
import type { HostFolder } from "../../core/ports/gate.ts";

export interface HostFacts {
	platform: NodeJS.Platform;
	env: Readonly<Record<string, string | undefined>>;
	homes: readonly string[];
	/** The extension's global storage path. */
	globalStorage: string;
	appRoot: string;
	/** Folders of all extensions. */
	extensions: readonly string[];
	/** This extension's folder when installed; absent in development. */
	installedPath?: string;
}

/** Folder names of VS Code-based editors, relative to the home folder and to the application data folder. */
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
/** Folders in which dev containers keep the server. */
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
	// When VS Code runs from source, its folder is the user's project.
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
	const resolved = new Set(absolute.map((folder) => path.resolve(folder)));
	// The root of a file system would match everything.
	return [...resolved].filter((folder) => path.dirname(folder) !== folder).map((folder) => ({ path: folder, kind }));
}

/** Maps `…/User/globalStorage/x` to the parent of `User`; for a server, to the folder that also holds its programs. */
function userData(folder: string, path: typeof posix): string {
	// The nearest one, since an account can be named "user", too.
	const user = ancestors(folder, path).find((candidate) => path.basename(candidate) === "User");
	if (user === undefined) return folder;
	const userFolder = path.dirname(user);
	const server = path.basename(userFolder) === "data" && /server|remote/i.test(path.basename(path.dirname(userFolder)));
	return server ? path.dirname(userFolder) : userFolder;
}

/** The whole application for `appRoot`; on macOS its bundle. */
function installation(appRoot: string, path: typeof posix): string {
	const above = ancestors(appRoot, path);
	const bundle = above.findLast((folder) => /\.app$/i.test(folder));
	if (bundle !== undefined) return bundle;
	return /[\\/]resources[\\/]app$/i.test(appRoot) ? path.dirname(path.dirname(appRoot)) : appRoot;
}

/** Installed extensions share a folder; one under development is wherever its project is. */
function extensionFolders(
	{ extensions, installedPath: installed, appRoot }: HostFacts,
	known: readonly string[],
	path: typeof posix,
): string[] {
	const isWithin = (folder: string, outer: string) =>
		folder === outer || folder.startsWith(outer.endsWith(path.sep) ? outer : outer + path.sep);
	const shared = installed === undefined ? undefined : path.dirname(installed);
	const found = extensions
		.filter((folder) => !isWithin(folder, appRoot))
		.map((folder) => {
			const parent = path.dirname(folder);
			return parent === shared || known.some((outer) => isWithin(parent, outer)) ? parent : folder;
		});
	return [...new Set([...found, ...(shared === undefined ? [] : [shared])])];
}

function applicationData(home: string, { platform, env }: HostFacts, path: typeof posix): string[] {
	if (platform === "win32")
		return [env["APPDATA"] ?? path.join(home, "AppData", "Roaming"), env["LOCALAPPDATA"] ?? path.join(home, "AppData", "Local")];
	if (platform === "darwin") return [path.join(home, "Library", "Application Support")];
	return [path.join(home, ".config"), ...(env["XDG_CONFIG_HOME"] ? [env["XDG_CONFIG_HOME"]] : [])];
}

/** Returns the folder and those above it, from the folder upward. */
function ancestors(folder: string, path: typeof posix): string[] {
	const found = [folder];
	for (let at = folder; path.dirname(at) !== at; at = path.dirname(at)) found.push(path.dirname(at));
	return found;
}
