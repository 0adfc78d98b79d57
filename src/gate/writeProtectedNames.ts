// Tables of files whose writing requires approval because they instruct agents, configure editors, or control what runs.

import type { GateRequest } from "../core/ports/gate.ts";
import type { PathFacts } from "../core/ports/tool.ts";
import { createNameTable, withExtensions } from "../core/protected/namePatterns.ts";
import { normalizePathParts, slicePathParts } from "../core/protected/protectedNames.ts";
import { t } from "../shared/l10n.ts";

interface RunningNames {
	/** Reason why they are in the table, for readers of this file. */
	why: string;
	/** File names: the last segment of a path. */
	files: readonly string[];
	/** Folder names anywhere in a path; they cover everything below. */
	folders?: readonly string[];
}

/** Normalized names. */
const autoExecutedNames: readonly RunningNames[] = [
	{
		why: "JavaScript tools load their configuration as code, or code that it names; editors run linters and formatters on save",
		files: [
			...configs("eslint", "prettier", "stylelint", "commitlint", "lint-staged", "oxlint", "knip", "svgo", "syncpack", "size-limit"),
			...configs("vite", "vitest", "jest", "webpack", "rollup", "rolldown", "rspack", "rsbuild", "esbuild", "tsup", "tsdown", "unbuild"),
			...configs("babel", "postcss", "tailwind", "uno", "unocss", "windi", "panda", "metro", "craco", "snowpack", "parcel", "farm"),
			...configs("next", "nuxt", "svelte", "astro", "vue", "remix", "react-router", "react-native", "gatsby", "docusaurus", "vuepress"),
			...configs("stencil", "quasar", "electron.vite", "electron-builder", "forge", "capacitor", "wxt", "plasmo", "histoire", "redwood"),
			...configs("playwright", "cypress", "ava", "nyc", "c8", "stryker", "web-test-runner", "web-dev-server", "lighthouserc", "happo"),
			...configs("drizzle", "prisma", "graphql", "codegen", "orval", "openapi-ts", "kubb", "velite", "contentlayer", "sst", "trigger"),
			...configs("hardhat", "truffle", "release", "build", "bundle"),
			...withExtensions(["karma", "protractor", "nightwatch", "codecept", "wdio", "stryker", "testcafe"], ["conf.*"]),
			...rc(
				"eslint",
				"babel",
				"prettier",
				"stylelint",
				"postcss",
				"swc",
				"mocha",
				"nyc",
				"c8",
				"tap",
				"testcafe",
				"graphql",
				"umi",
				"father",
			),
			...rc("lintstaged", "commitlint", "cz", "release", "remark", "textlint", "jshint", "jscs", "oxlint", "markdownlint", "ncu", "bower"),
			...[".cz.json", ".size-limit.*", ".markdownlint*", "tslint.json", "biome.json", "biome.jsonc", "dprint.json", "dprint.jsonc"],
			...["vitest.workspace.*", "vitest.projects.*", "jest.setup.*", "vitest.setup.*", "ember-cli-build.*", "testem.*", "plopfile*"],
			...["gulpfile*", "gruntfile*", "jakefile*", "brocfile*", "gatsby-*.js", "gatsby-*.ts", "gatsby-*.mjs", ".pnp.*", ".vscode-test.*"],
			...["tsconfig*.json", "jsconfig*.json", "angular.json", "project.json", "nx.json", "turbo.json", "turbo.jsonc", "lerna.json"],
			...["rush.json", "deno.json", "deno.jsonc", "bunfig.toml", "pnpm-workspace.yaml", "pnpm-workspace.yml", "wireit.json"],
		],
		folders: [".yarn", ".vscode-test"],
	},
	{
		why: "Python tools and the interpreter itself import these",
		files: [
			...["pyproject.toml", "setup.py", "setup.cfg", "conftest.py", "tox.ini", "tox.toml", "noxfile.py", "dodo.py", "fabfile.py"],
			...["pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pylintrc*", ".pylintrc*", "mypy.ini", ".mypy.ini", ".flake8"],
			...[".coveragerc", ".isort.cfg", "ruff.toml", ".ruff.toml", "pyrightconfig.json", "basedpyrightconfig.json", ".bandit", ".pdbrc*"],
			...["sitecustomize.py", "usercustomize.py", "*.pth", "hatch.toml", "hatch_build.py", "pipfile", "poetry.toml", "uv.toml"],
			...["pixi.toml"],
			...["pip.conf", "pip.ini", ".condarc", "pyvenv.cfg", "behave.ini", ".behaverc", "pavement.py", "wscript", "sconstruct", "sconscript"],
			...["snakefile", "ansible.cfg", ".ycm_extra_conf.py"],
		],
		folders: [".jupyter", ".ipython"],
	},
	{
		why: "Rust and Go build and lint with these, and language servers do so by themselves",
		files: [
			...["cargo.toml", "build.rs", "clippy.toml", ".clippy.toml", "rustfmt.toml", ".rustfmt.toml", "cross.toml", "dylint.toml"],
			...[".golangci.*", ".goreleaser.*", "magefile.go", "mage.go", ".air.toml", "buf.gen.yaml"],
		],
		folders: [".cargo", "magefiles"],
	},
	{
		why: "builds on the Java machine run these, and language servers import them; the wrappers are programs",
		files: [
			...["build.gradle*", "settings.gradle*", "*.gradle", "*.gradle.kts", "gradle.properties", "gradle/*.toml", "gradle/*.properties"],
			...["gradlew", "gradlew.bat", "mvnw", "mvnw.cmd", "mvnwdebug", "mvnwdebug.cmd", "pom.xml", "build.xml", "ivy.xml", "amper"],
			...["amper.bat"],
			...["*.sbt", "sbtx", "project/*.scala", "project/build.properties", "build.sc", "build.mill", "mill", "mill.bat", "millw"],
			...[".jvmopts", ".sbtopts", ".mill-jvm-opts", ".scalafmt.conf", ".scalafix.conf", "project.clj", "deps.edn", "build.boot", "bb.edn"],
			...["shadow-cljs.edn", "lein", "lein.bat", ".project", ".classpath", ".factorypath"],
		],
		folders: [".mvn", "gradle/wrapper", "buildsrc", "build-logic", ".settings"],
	},
	{
		why: "C, C++ and their relatives configure and build with these",
		files: [
			...["cmakelists.txt", "*.cmake", "cmakepresets.json", "cmakeuserpresets.json", "meson.build", "configure", "configure.ac"],
			...["configure.in", "autogen.sh", "bootstrap.sh", "bsdmakefile", "nmakefile", "*.mk", "*.mak", "*.make"],
			...withExtensions(["makefile", "gnumakefile"], ["am", "in", "inc", "include", "common", "local", "config", "defs", "rules"]),
			...["build.ninja", "conanfile.*", "xmake.lua", "premake*.lua", "*.bazel", "*.bzl", "*.bazelrc", "*.bxl", ".buckconfig", "*.star"],
			...["tiltfile", "earthfile", "pants.toml", "tools/bazel", "*.pro", "*.pri", "*.qbs", "build.zig", "build.zig.zon"],
			...["*.nimble", "*.nims", "nim.cfg", "dub.json", "dub.sdl", "shard.yml"],
		],
	},
	{
		why: "projects of .NET run these when they are opened or built",
		files: [
			...["*.csproj", "*.fsproj", "*.vbproj", "*.vcxproj", "*.sqlproj", "*.proj", "*.props", "*.targets", "*.sln", "*.slnx", "*.rsp"],
			...["dotnet-tools.json", "nuget.config", "omnisharp.json", "packages.config", "*.runsettings", "*.nuspec", "*.cake", "build.fsx"],
		],
	},
	{
		why: "Ruby, PHP, Perl, Elixir and others evaluate these before they do anything else",
		files: [
			...["gemfile", "gems.rb", "*.gemspec", "rakefile", "*.rake", ".rspec", ".rubocop*", ".standard.yml", ".erb_lint.yml", ".simplecov"],
			...["guardfile", "capfile", "fastfile", "appfile", "matchfile", "dangerfile", "podfile", "*.podspec", "berksfile", "thorfile"],
			...["steepfile", "appraisals", "brewfile", "vagrantfile", ".irbrc", ".pryrc", ".solargraph.yml", ".spring.rb"],
			...["composer.json", "phpunit*.xml", "phpunit*.xml.dist", ".phpunit.xml", "phpstan*.neon*", "psalm.xml*", ".php-cs-fixer*"],
			...[".php_cs*"],
			...["rector.php", "ecs.php", "grumphp.*", "captainhook.json", "castor.php", "robofile.php", "deploy.php", ".user.ini", "php.ini"],
			...["makefile.pl", "build.pl", "cpanfile", ".proverc", ".perlcriticrc", ".perltidyrc", "dist.ini"],
			...["mix.exs", ".formatter.exs", ".credo.exs", ".iex.exs", "rebar.config*", "rebar3", "erlang.mk", "package.swift", ".swiftlint.yml"],
			...["*.xcconfig", "*.pbxproj", "*.xcscheme", "build.yaml", "dart_test.yaml", "analysis_options.yaml", "melos.yaml"],
			...["*.cabal", "cabal.project*", "stack.yaml", "setup.hs", "setup.lhs", ".ghci", "hie.yaml", ".hlint.yaml"],
			...["dune", "dune-project", "dune-workspace", "*.opam", ".luacheckrc", ".busted", "*.rockspec", ".rprofile", ".lintr", "startup.jl"],
			...["spago.*", "bsconfig.json", "rescript.json", "cask", "eask", ".octaverc"],
		],
		folders: [".bundle", "rakelib"],
	},
	{
		why: "task runners, which run what these say under the names of everyday commands",
		files: [
			...["justfile", ".justfile", "*.just", "taskfile.*", "procfile", "procfile.*", "moon.yml", "makefile.toml", "skaffold.yaml"],
			...["garden.yml", "dagger.json", "process-compose.*", "*.sublime-project", "foundry.toml", "anchor.toml", "terragrunt.hcl"],
			...[".tflint.hcl"],
			...[".ackrc"],
		],
		folders: [".moon", ".run"],
	},
	{
		why: "toolchain files, which decide which program a name starts, and may have it downloaded",
		files: [
			...["rust-toolchain", "rust-toolchain.toml", "global.json", ".tool-versions", ".nvmrc", ".nodenvrc", ".ruby-gemset", ".rvmrc"],
			...[".dvmrc"],
			...[".node-version", ".ruby-version", ".python-version", ".java-version", ".go-version", ".php-version", ".swift-version"],
			...[".terraform-version", ".terragrunt-version", ".opentofu-version", ".crystal-version", ".bun-version", ".deno-version"],
			...[".xcode-version"],
			...[".zig-version", ".zigversion", ".perl-version", ".lua-version", ".bazelversion", ".bazeliskrc", ".jenv-version", ".sdkmanrc"],
			...[".jabbarc", ".gvmrc", ".fvmrc", ".prototools", ".asdfrc", "mise.toml", ".mise.toml", "mise.*.toml", ".mise.*.toml"],
			...["mise/config.*"],
			...[".config/mise.*", ".rtx.toml", "devbox.json", "devenv.nix", "devenv.yaml", "flake.nix", "flake.lock", "shell.nix", "default.nix"],
			...["aqua.yaml", "aqua.yml", "pkgx.yaml", ".pkgx.yaml", "hermit.hcl", "volta.json", "manifest.scm", "guix.scm"],
		],
		folders: [".mise", ".config/mise", ".rtx", ".fvm", ".hermit", "bin/.hermit", ".flox", ".devbox"],
	},
	{
		why: "builds and robots of other vendors than GitHub, which run with the repository's secrets as soon as somebody pushes",
		files: [
			...[".gitlab-ci*", "*.gitlab-ci.yml", "azure-pipelines*", "jenkinsfile*", "*.jenkinsfile", ".travis.*", "bitbucket-pipelines.*"],
			...[".drone.*", ".woodpecker.*", "appveyor.*", ".appveyor.*", "cloudbuild*.yaml", "cloudbuild*.yml", "cloudbuild*.json"],
			...["buildspec*.yml", "buildspec*.yaml", ".cirrus.*", "codemagic.yaml", "bitrise.yml", "wercker.yml", "codeship-*", "codefresh*.yml"],
			...[".build.yml", "screwdriver.yaml", ".evergreen.yml", ".scrutinizer.yml", ".readthedocs.*", "readthedocs.yml", ".zuul.*", "zuul.*"],
			...["netlify.toml", "vercel.json", "now.json", "render.yaml", "amplify.yml", "amplify.yaml", ".platform.app.yaml", "heroku.yml"],
			...["railway.json", "railway.toml", "nixpacks.toml", "fly.toml", "wrangler.toml", "wrangler.json", "wrangler.jsonc"],
			...["renovate.json*", ".renovaterc*", ".mergify.yml", ".coderabbit.*", ".sourcery.*", ".pre-commit-hooks.yaml"],
		],
		folders: [
			...[".gitlab", ".gitlab-ci", ".circleci", ".azure-pipelines", ".azuredevops", ".azdo", ".jenkins", ".woodpecker", ".buildkite"],
			...[".semaphore", ".codefresh", ".gitea", ".forgejo", ".builds", ".teamcity", ".harness", ".tekton", ".platform", ".do", ".mergify"],
			...[".ci", ".pipelines", ".prow", ".zuul.d", "zuul.d"],
		],
	},
	{
		why: "installed packages, which every tool of the project runs",
		files: [],
		folders: ["node_modules", ".venv", "venv", "site-packages", "vendor/bin", "vendor/bundle", "bower_components", "jspm_packages"],
	},
];

/** Case-sensitive names; in lowercase they are ordinary folder names. */
const caseSensitiveAutoExecutedNames: ReadonlySet<string> = new Set(["BUILD", "WORKSPACE", "BUCK"]);

function configs(...tools: string[]): string[] {
	return withExtensions(tools, ["config.*"]);
}

function rc(...tools: string[]): string[] {
	return tools.flatMap((tool) => [`.${tool}rc`, `.${tool}rc.*`]);
}

const files = createNameTable(autoExecutedNames.flatMap(({ files }) => files));
const folders = createNameTable(autoExecutedNames.flatMap(({ folders }) => folders ?? []));

/** Returns why a call requires approval in modes that allow edits. Approvals for a whole tool do not cover it. */
export function autoExecutedAskReason(
	{ mode, planRuns, planNames }: GateRequest,
	paths: readonly PathFacts[],
): { reason: string; rule: string } | undefined {
	if (mode === "auto") return undefined;
	const named = mode === "plan" && planRuns ? planNames : undefined;
	for (const fact of paths) {
		if (named && fact.literalInside === fact.realInside && named.includes(fact.literal)) continue;
		const found = findAutoExecuted(fact);
		if (found) return { reason: found.reason, rule: found.name };
	}
	return undefined;
}

/** Returns the name and the reason if writing this file affects what runs later. */
export function findAutoExecuted(fact: PathFacts): { name: string; reason: string } | undefined {
	if (fact.use === "read") return undefined;
	for (const inside of fact.literalInside === fact.realInside ? [fact.realInside] : [fact.literalInside, fact.realInside]) {
		const name = inside === undefined ? undefined : autoExecutedName(inside);
		if (name === undefined) continue;
		return { name, reason: t("{0} runs, or controls what runs, when the project is opened, built, or tested.", fact.given) };
	}
	if (fact.runsChanged) return { name: "package.json", reason: t("This changes settings in {0} that control what tools run.", fact.given) };
	if (!fact.schemaChanged) return undefined;
	return { name: "$schema", reason: t("{0} would cause the editor to download a schema from the network.", fact.given) };
}

/** `inside` is relative to its workspace folder. */
export function autoExecutedName(inside: string): string | undefined {
	const folded = normalizePathParts(inside);
	const last = inside.slice(inside.lastIndexOf("/") + 1);
	if (files.startOf(folded, folded.length - 1) !== undefined || caseSensitiveAutoExecutedNames.has(last)) return last;
	const found = folders.find(folded);
	return found && slicePathParts(inside, found);
}

interface StrictNames {
	/** Reason why they are in the table, for readers of this file. */
	why: string;
	/** A name covers everything below it. */
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
