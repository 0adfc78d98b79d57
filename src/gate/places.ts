// Layer 4: places that ask whatever the grants and the mode, as tables. Names are compared folded: case, width, trailing dots.
import type { PathFact } from "../core/gate.ts";

interface Names {
	/** Folders: everything below them and they themselves. */
	folders: readonly string[];
	files: readonly string[];
	patterns: readonly RegExp[];
}

/** Files that hold secrets, and git's own: reading them asks. */
const reading: Names = {
	folders: [".git", ".ssh", ".gnupg", ".aws"],
	files: [".env", ".envrc", ".npmrc", ".netrc", "_netrc", ".git-credentials", ".pypirc", ".pgpass", ".htpasswd", ".vault-token"],
	patterns: [/^\.env\../, /^\.yarnrc/, /^id_(rsa|dsa|ecdsa|ed25519)(_sk)?$/, /\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk)$/],
};

/** What later runs, decides what runs, or instructs agents: changing it asks. */
const writing: Names = {
	folders: [
		...reading.folders,
		...[".vscode", ".husky", ".devcontainer", ".github", ".idea", ".troupe", ".vs", ".zed", ".fleet"],
		...[".claude", ".cursor", ".codex", ".roo", ".gemini", ".agents", ".windsurf", ".continue", ".clinerules", ".cline"],
		...[".amazonq", ".kiro", ".junie", ".opencode", ".qwen", ".augment", ".trae", ".kilocode"],
	],
	files: [
		...reading.files,
		...[".gitmodules", ".gitattributes", ".gitconfig", ".lfsconfig", ".hgrc", ".pnpmfile.cjs", "pnpmfile.cjs", ".pre-commit-config.yaml"],
		...[
			".mcp.json",
			"mcp.json",
			".roomodes",
			".roorules",
			".cursorrules",
			".cursorignore",
			".windsurfrules",
			".goosehints",
			".aider.conf.yml",
		],
		...[
			"agents.md",
			"agent.md",
			"agents.override.md",
			"agents.local.md",
			"claude.md",
			"claude.local.md",
			"gemini.md",
			"qwen.md",
			"codex.md",
		],
		...["copilot-instructions.md", "makefile", "gnumakefile", "devcontainer.json", ".devcontainer.json"],
		...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc", ".cshrc", ".tcshrc", ".login"],
		...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".xprofile", ".xinitrc", "config.fish"],
		...[".vimrc", ".exrc", ".nvimrc", ".nvim.lua", ".gdbinit", ".lldbinit", ".mailcap", ".wgetrc", ".curlrc"],
	],
	patterns: [...reading.patterns, /\.code-workspace$/, /^\.?lefthook(-local)?\.(ya?ml|toml|json)$/, /\.instructions\.md$/],
};

const tables = { read: tableOf(reading), write: tableOf(writing) };

function tableOf({ folders, files, patterns }: Names) {
	return { folders: new Set(folders), files: new Set(files), patterns };
}

export function protectedPlace(fact: PathFact): { reason: string; rule: string } | undefined {
	const purpose = fact.use === "read" ? "read" : "write";
	const asks = (why: string, rule: string) => ({ reason: `Asks because ${fact.given} ${why}.`, rule });
	if (fact.literalInside === undefined || fact.realInside === undefined) {
		const leads = fact.literalInside === undefined ? "lies" : "leads";
		return asks(`${leads} outside the workspace`, "outside the workspace");
	}
	if (fact.guarded !== undefined) return asks(fact.guarded, fact.guarded);
	for (const inside of [fact.literalInside, fact.realInside]) {
		const name = protectedName(inside, purpose);
		if (name !== undefined) return asks(`is a protected place (${name})`, name);
	}
	if (purpose === "write" && !fact.scriptsUnchanged && [fact.literalInside, fact.realInside].some(isManifest)) {
		return asks("decides which scripts run", "package.json");
	}
	const shared = (fact.links ?? 1) > 1 && !(purpose === "read" && isDependency(fact));
	return shared ? asks("has more than one name on disk, so it may be a file outside the workspace", "hard link") : undefined;
}

/** The protected name in a path relative to its folder: any segment that is a protected folder, or the last as a file. */
export function protectedName(inside: string, purpose: "read" | "write"): string | undefined {
	const { folders, files, patterns } = tables[purpose];
	for (const segment of inside.split("/")) {
		const name = fold(segment);
		if (folders.has(name) || files.has(name) || patterns.some((pattern) => pattern.test(name))) return segment;
	}
	return undefined;
}

/** Upper case first: a few letters (ſ, the Kelvin sign) equal plain ones on disks that ignore case, but only that way round. */
function fold(segment: string): string {
	const plain = /^[!-~]*$/.test(segment) ? segment : segment.normalize("NFKC").toUpperCase();
	return plain.toLowerCase().replace(/[. ]+$/, "");
}

function isManifest(inside: string): boolean {
	return fold(inside.split("/").at(-1) ?? "") === "package.json" && !inside.split("/").includes("node_modules");
}

function isDependency(fact: PathFact): boolean {
	return fact.realInside?.split("/").includes("node_modules") === true;
}
