// Names that ask before they are written, whatever was approved: what instructs agents, configures editors, or runs unasked. Folded.
import { withExtensions } from "../core/protected/namePatterns.ts";

interface StrictNames {
	/** Why they are in the table, for who reads it. */
	why: string;
	/** A name stands for all below it. */
	names: readonly string[];
}

export const writeProtectedNames: readonly StrictNames[] = [
	{
		why: "variables of an environment, samples too: what is written there is copied to where it is read",
		names: [".env", ".env.*"],
	},
	{
		why: "editors and development environments: settings, tasks and launch configurations name programs",
		names: [
			...[".vscode", ".idea", ".vs", ".zed", ".fleet", ".theia", ".nova", ".lapce", ".helix", ".idx", ".devcontainer", ".codesandbox"],
			...["*.code-workspace", "devcontainer.json", ".devcontainer.json", ".gitpod.*", ".replit", "replit.nix", ".stackblitzrc"],
			...[".dir-locals*.el"],
			...[".vscode-server*", ".vscode-remote*", ".vscode-insiders", ".vscode-oss", ".vscodium*", ".cursor-server", ".windsurf-server"],
			...[".exrc", ".vimrc", "_vimrc", ".gvimrc", ".lvimrc", ".vim", ".nvimrc", ".nvim.lua", ".nvim", ".emacs", ".emacs.d", ".ideavimrc"],
			...["*.toolset.jsonc", "*.toolsets.jsonc"],
		],
	},
	{
		why: "folders of agents: rules, commands, hooks, servers and permissions of theirs",
		names: [
			...[".troupe", ".claude", ".claude-plugin", ".cursor", ".cursor-plugin", ".codex", ".roo", ".gemini", ".agents", ".agent"],
			...[".windsurf"],
			...[".continue", ".clinerules", ".cline", ".amazonq", ".copilot", ".kiro", ".junie", ".opencode", ".qwen", ".augment", ".trae"],
			...[".kilocode", ".aiassistant", ".antigravity", ".openhands", ".goose", ".factory", ".amp", ".crush", ".forge", ".rovodev"],
			...[".pearai"],
			...[".tabnine", ".codeium", ".codegpt", ".codebuddy", ".lingma", ".comate", ".iflow", ".kimi", ".warp", ".devin", ".builder"],
			...[".bolt"],
			...[".lovable", ".ruler", ".rulesync", ".specify", ".bmad-core", ".taskmaster", ".serena", ".plandex", ".gptme", ".mcp", ".ai"],
			...[".zencoder", ".firebender", ".cody", ".sourcegraph", ".refact", ".pieces", ".aide", ".blackbox", ".supermaven"],
			...[".vibe", ".claude-flow", ".agent-os", ".rules", "hooks/hooks.json"],
		],
	},
	{
		why: "instructions that agents read by themselves",
		names: [
			...withExtensions(
				["agents", "agent", "claude", "gemini", "qwen", "codex", "crush", "warp", "opencode", "iflow", "grok"],
				["md", "*.md"],
			),
			...["codebuddy.md", "replit.md", "airules.md"],
			...["skill.md", "subagent.md", "conventions.md", "copilot-instructions.md", "*.instructions.md", "*.prompt.md", "*.chatmode.md"],
			...["*.agent.md", "*.agents.md", "*.skill.md", "*.mdc", "*.prompty", "*.prompt.yml", "*.prompt.yaml"],
			...[".cursorrules", ".cursorignore", ".cursorindexingignore", ".windsurfrules", ".goosehints*", ".roorules*", ".roomodes"],
			...[".rooignore"],
			...[".clineignore", ".kilocoderules*", ".kilocodemodes", ".kilocodeignore", ".augment-guidelines", ".augmentignore", ".aider*"],
			...[".builderrules", ".openhands_instructions", ".continuerules", ".continueignore", ".aiexclude", ".aiignore", ".codeiumignore"],
			...[".geminiignore", ".kiroignore", ".llmrules", ".airules", ".ruler.toml", ".sweep.yaml", "sweep.yaml"],
		],
	},
	{
		why: "agents' own configuration: servers that are started, commands that are allowed",
		names: [
			...withExtensions(
				["mcp", ".mcp", "mcp-config", "mcp_config", "mcp-settings", "mcp_settings", "cline_mcp_settings"],
				["json", "*.json"],
			),
			...withExtensions(["mcp", ".mcp"], ["jsonc", "yaml", "yml", "toml"]),
			...["claude_desktop_config.json", ".claude.json", "opencode.json", "opencode.jsonc", "crush.json", ".crush.json", "gptme.toml"],
			...["gemini-extension.json"],
		],
	},
	{
		why: "git and its kin run what their configuration and hooks say; attributes choose filters",
		names: [
			...[".github", ".husky", ".huskyrc*", ".githooks", ".git-hooks", ".hooks", ".gitmodules", ".gitattributes", ".gitconfig"],
			...[".gitconfig.*"],
			...[".lfsconfig", ".hg", ".hgrc", ".svn", ".jj", ".bzr", ".sl", ".pijul", ".pre-commit-config.*", "prek.toml", ".overcommit.yml"],
			...withExtensions(["lefthook", ".lefthook", "lefthook-local", ".lefthook-local"], ["yml", "yaml", "toml", "json", "jsonc"]),
			...[".lefthook", ".lefthook-local", ".simple-git-hooks.*", "simple-git-hooks.*", ".pnpmfile.*", "pnpmfile.*"],
		],
	},
	{
		why: "shells, debuggers and other programs read these whenever they start, where they are or at home",
		names: [
			...[".bash_*", ".bashrc", ".bashrc.d", ".profile", ".inputrc", ".cshrc", ".tcshrc", ".login", ".logout", ".zshrc", ".zshenv"],
			...[".zprofile", ".zlogin", ".zlogout", ".kshrc", ".mkshrc", ".direnvrc", ".xprofile", ".xinitrc", ".xsession", ".xsessionrc"],
			...[".pam_environment", "config.fish", "*profile.ps1", ".gdbinit", ".lldbinit", ".mailcap", ".wgetrc", ".curlrc", "_curlrc"],
			...[".psqlrc"],
			...[".sqliterc", ".lessfilter", ".lesskey", ".tmux.conf", ".screenrc", ".forward", ".procmailrc", ".rhosts", ".shosts"],
			...["authorized_keys"],
			...["authorized_keys2", ".gnuplot", ".k5login", ".wslconfig", ".nanorc"],
		],
	},
	{
		why: "make runs these without being told their names",
		names: ["makefile", "gnumakefile"],
	},
];
