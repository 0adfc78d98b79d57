// Package managers: running a script of package.json is bound to what those scripts say; everything that installs is not.
import { t } from "../l10n.ts";
import type { Judgement } from "./programs.ts";

const managers = new Set(["npm", "pnpm", "yarn", "bun"]);
const scripts = new Set(["test", "t", "tst", "start", "stop", "restart"]);
const harmless = new Set(["ls", "list", "ll", "la", "root", "prefix", "bin", "why", "explain", "-v", "--version"]);
const quietFlags = /^(--silent|-s|--if-present|--quiet)$/;
/** What yarn and pnpm do themselves; any other word is a script's name. */
const ownCommands = new Set(
	(
		"add install i in ci update up upgrade remove rm un uninstall unlink link dlx exec x create init import publish pack audit fetch rebuild " +
		"store cache config set get login logout node patch patch-commit prune dedupe deploy env setup server self-update outdated info view " +
		"plugin workspace workspaces version policies unplug constraints global autoclean check generate-lock-entry help licenses owner tag team " +
		"doctor approve-builds ignored-builds install-test it cat-file cat-index find-hash recursive m multi c completion search npm stage pm repl build"
	).split(" "),
);

const installers = new Set(
	(
		"npx pnpx bunx uvx uv pip pip3 pipx poetry pdm conda mamba micromamba gem bundle bundler brew apt apt-get aptitude dpkg rpm yum dnf apk " +
		"pacman zypper snap flatpak composer nuget rustup nvm fnm volta asdf mise corepack choco winget scoop cabal stack opam luarocks cpan cpanm " +
		"code vsce easy_install hatch rye pkg port nix nix-env nix-shell guix"
	).split(" "),
);

/** Build tools whose listed sub-commands fetch and install. */
const installing: Record<string, RegExp> = {
	cargo: /^(install|add|update|fetch|publish|login|search|uninstall|remove|yank)$/,
	go: /^(install|get|run|mod|work|tool|generate|clean)$/,
	dotnet: /^(add|restore|tool|nuget|workload|new|run|remove)$/,
	mix: /^(deps\..*|archive\..*|local\..*|hex\..*)$/,
	flutter: /^(pub|upgrade|run)$/,
	dart: /^(pub|run)$/,
	swift: /^(package|run)$/,
};

export function judgePackages(words: readonly string[]): Judgement | undefined {
	const [program = "", sub = ""] = words;
	const paths = words.slice(1).map((word) => ({ word, use: "create" as const }));
	if (installers.has(program)) return { paths, careful: t("{0} installs or runs packages", program) };
	const config = program === "cargo" && words.find((word) => word.startsWith("--config"));
	if (config) return { paths, always: t("cargo {0} can run something else", config) };
	if (installing[program]?.test(sub)) return { paths, careful: t("{0} {1} installs or runs packages", program, sub) };
	if (!managers.has(program)) return undefined;
	const installs = { paths, careful: t("{0} can install packages, which run scripts of their own", words.slice(0, 2).join(" ")) };
	if (harmless.has(sub)) return { paths: [], class: `${program} ${sub}` };
	if (sub.startsWith("-")) return { paths, always: t("{0} {1} comes before a sub-command", program, sub) };
	const byName = (program === "yarn" || program === "pnpm") && /^[\w:.-]+$/.test(sub) && !ownCommands.has(sub);
	const named = sub === "run" || sub === "run-script" || sub === "rum" || sub === "urn";
	const script = named ? words[2] : sub;
	if (named ? script === undefined || script.startsWith("-") : !byName && !(scripts.has(sub) && program !== "bun")) return installs;
	const end = words.indexOf("--");
	const flags = words.slice(named ? 3 : 2, end < 0 ? undefined : end);
	const flag = flags.find((word) => word.startsWith("-") && !quietFlags.test(word));
	if (flag !== undefined && program === "npm") return { paths, always: t("{0} {1} can run something else", program, flag) };
	if (flags.some((word) => /^(--prefix|--dir|--cwd|-C|--script-shell|--shell|--node-options|--workspace|-w|--filter|-F|-r)/.test(word))) {
		return { paths, always: t("{0} is told to run somewhere else", program) };
	}
	return { paths, class: words.slice(0, named ? 3 : 2).join(" "), bound: true };
}
