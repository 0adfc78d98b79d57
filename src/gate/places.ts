// Layer 4: places that ask whatever the grants and the mode, as tables. Names are compared folded.
import type { PathFact } from "../core/gate.ts";
import { foldName, isProtectedReading } from "../core/protectedNames.ts";
import { t } from "../l10n.ts";

/** What later runs, decides what runs, or instructs agents: changing it asks, as changing what is protected from reading does. */
const writing = {
	folders: [
		...[".vscode", ".husky", ".devcontainer", ".github", ".idea", ".troupe", ".vs", ".zed", ".fleet"],
		...[".claude", ".cursor", ".codex", ".roo", ".gemini", ".agents", ".windsurf", ".continue", ".clinerules", ".cline"],
		...[".amazonq", ".copilot", ".kiro", ".junie", ".opencode", ".qwen", ".augment", ".trae", ".kilocode"],
	],
	files: [
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
			"skill.md",
		],
		...["copilot-instructions.md", "makefile", "gnumakefile", "devcontainer.json", ".devcontainer.json"],
		...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".inputrc", ".cshrc", ".tcshrc", ".login"],
		...[".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".xprofile", ".xinitrc", "config.fish"],
		...[".vimrc", ".exrc", ".nvimrc", ".nvim.lua", ".gdbinit", ".lldbinit", ".mailcap", ".wgetrc", ".curlrc"],
	],
	patterns: [/\.code-workspace$/, /^\.?lefthook(-local)?\.(ya?ml|toml|json)$/, /\.instructions\.md$/],
};

const writingNames = new Set([...writing.folders, ...writing.files]);

export function protectedPlace(fact: PathFact): { reason: string; rule: string } | undefined {
	const purpose = fact.use === "read" ? "read" : "write";
	if (purpose === "read" && fact.guide) return undefined;
	const asks = (why: string, rule: string) => ({ reason: t("Asks because {0} {1}.", fact.given, why), rule });
	if (fact.literalInside === undefined || fact.realInside === undefined) {
		const leads = fact.literalInside === undefined ? t("lies outside the workspace") : t("leads outside the workspace");
		return asks(leads, "outside the workspace");
	}
	if (fact.guarded !== undefined) return asks(fact.guarded, fact.guarded);
	for (const inside of [fact.literalInside, fact.realInside]) {
		const name = protectedName(inside, purpose);
		if (name !== undefined) return asks(t("is a protected place ({0})", name), name);
	}
	if (purpose === "write" && !fact.scriptsUnchanged && [fact.literalInside, fact.realInside].some(isManifest)) {
		return asks(t("decides which scripts run"), "package.json");
	}
	const shared = (fact.links ?? 1) > 1 && !(purpose === "read" && isDependency(fact));
	return shared ? asks(t("has more than one name on disk, so it may be a file outside the workspace"), "hard link") : undefined;
}

/** The protected name in a path relative to its folder: any of its segments. */
export function protectedName(inside: string, purpose: "read" | "write"): string | undefined {
	return inside.split("/").find((segment) => {
		const name = foldName(segment);
		return isProtectedReading(name) || (purpose === "write" && isProtectedWriting(name));
	});
}

function isProtectedWriting(name: string): boolean {
	return writingNames.has(name) || writing.patterns.some((pattern) => pattern.test(name));
}

function isManifest(inside: string): boolean {
	return foldName(inside.split("/").at(-1) ?? "") === "package.json" && !inside.split("/").includes("node_modules");
}

function isDependency(fact: PathFact): boolean {
	return fact.realInside?.split("/").includes("node_modules") === true;
}
