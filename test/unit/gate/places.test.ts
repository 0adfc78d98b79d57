// Tests protected places by name: each that always asks with its variants, and everyday names that must not.

import assert from "node:assert/strict";
import type { PathUse } from "../../../src/core/ports/tool.ts";
import { protectedName, protectedPlace } from "../../../src/gate/hostProtection.ts";
import { autoExecutedName } from "../../../src/gate/writeProtectedNames.ts";
import { file, makeWorld, paths, rules, tools } from "./world.ts";

const asks = (path: string, use: PathUse) => protectedPlace(file(path, use)) !== undefined;

describe("a protected place", () => {
	const strict = [
		...[".git/config", "sub/.git", ".vscode/tasks.json", "x.code-workspace", ".env", ".env.local", ".envrc", ".npmrc", ".yarnrc.yml"],
		...[".husky/pre-commit", ".devcontainer/devcontainer.json", ".github/workflows/ci.yml", ".idea/workspace.xml", ".claude/settings.json"],
		...[".cursor/mcp.json", ".codex/config.toml", ".roo/mcp.json", ".gemini/settings.json", ".agents/x", ".mcp.json"],
		...[".troupe/agents/a.json"],
		...[".roomodes", "Makefile", "src/GNUmakefile", "package.json", "packages/a/package.json", "package.json5", "package.yaml"],
		...[".bashrc", ".zshenv", ".bash_aliases", "config.fish", "Microsoft.PowerShell_profile.ps1", ".vimrc", ".gdbinit"],
		// Instructions of agents, by whatever name.
		...["AGENTS.md", "agents.md", "AGENTS.local.md", "docs/AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "QWEN.md", "WARP.md"],
		...[".cursorrules", ".windsurfrules", ".clinerules", ".clinerules/a.md", ".rules", ".goosehints", ".roorules-code", ".aider.conf.yml"],
		...[".aiderignore", "CONVENTIONS.md", ".github/copilot-instructions.md", "copilot-instructions.md", "a.instructions.md", "a.prompt.md"],
		...["a.chatmode.md", "a.agent.md", "skills/x/SKILL.md", "SUBAGENT.md", ".cursor/rules/a.mdc", "rules/a.mdc", ".kiro/steering/a.md"],
		...[".junie/guidelines.md", ".augment-guidelines", ".openhands/setup.sh", ".aiassistant/rules/a.md", ".agent/rules/a.md", "replit.md"],
		...["mcp.json", "src/mcp.json", ".mcp.local.json", "opencode.json", "claude_desktop_config.json", "hooks/hooks.json"],
		...[".claude-plugin/plugin.json"],
		// What git runs, and where editors keep what they run.
		...[".gitmodules", ".gitattributes", ".lfsconfig", ".githooks/pre-push", ".hg/hgrc", "lefthook.yml", ".lefthook/pre-push/a.sh"],
		...[".pre-commit-config.yaml", ".pnpmfile.cjs", ".vscode-server/data/x", ".vscode-remote/x", ".zed/tasks.json"],
		...[".helix/languages.toml"],
		...[".dir-locals.el", ".gitpod.yml", ".replit", "home/.ssh/authorized_keys", "authorized_keys"],
		// However it is spelled.
		...[
			".GIT/config",
			".vscode./tasks.json",
			".VsCode /tasks.json",
			"ＡＧＥＮＴＳ.md",
			"AGENT\u017f.md",
			".g\u200dit/config",
			"agents.md..",
		],
		...["MAKEFILE"],
	];
	for (const path of strict) it(`asks before it is written: ${JSON.stringify(path)}`, () => assert.equal(asks(path, "create"), true));

	const free = [
		...["src/a.ts", "README.md", "src/agents/list.ts", "src/agent.ts", "docs/agents/intro.md", "claude.ts", "src/env.ts", "environment.ts"],
		...["src/environments/environment.prod.ts", "env.d.ts", "src/secrets.ts", "tokens.json", "design/tokens.json"],
		...["src/credentials/aws.go"],
		...["src/git/config.ts", "github/a.ts", "vscode/a.ts", "rules/a.md", "prompts/a.md", "instructions.md", "prompt.md", "skills/a.md"],
		...["test/hooks/a.ts", "src/hooks/useA.ts", "profile.ts", "makefile.md", "src/mcp.ts", "src/mcp/client.ts", ".gitignore"],
		...[".editorconfig"],
		...["locales/de/auth.json", "CONTRIBUTING.md", "LICENSE", "docs/design.md", "src/a.ts~", "src/copy.ts"],
	];
	for (const path of free) {
		it(`does not ask, read or written: ${path}`, () => {
			assert.deepEqual([asks(path, "read"), asks(path, "create"), autoExecutedName(path)], [false, false, undefined]);
		});
	}

	it("asks before a secret is read, and not before what only configures", () => {
		for (const path of [".env", "a/.ENV.local", ".git/config", "id_rsa.bak", "conf/secrets.json", ".docker/config.json"])
			assert.equal(asks(path, "read"), true, path);
		for (const path of [".vscode/settings.json", ".github/workflows/ci.yml", "AGENTS.md", "Makefile", "package.json", ".mcp.json"]) {
			assert.equal(asks(path, "read"), false, path);
		}
	});

	it("lets samples of variables be read, and asks before they are written", () => {
		for (const name of [".env.example", ".env.sample", ".env.template", "app/.ENV.Example"]) {
			assert.deepEqual([asks(name, "read"), asks(name, "write")], [false, true], name);
		}
		for (const name of [".env.example.local", ".env.examples", ".env.example~", "env.sample/.env"])
			assert.equal(asks(name, "read"), true, name);
	});

	it("is named as it is written, with the folder that makes it one", () => {
		assert.equal(protectedName("a/.VSCode/x", "write"), ".VSCode");
		assert.equal(protectedName("a/hooks/hooks.json", "write"), "hooks/hooks.json");
		assert.equal(protectedName("a/.VSCode/x", "read"), undefined);
	});

	it("is what may be the short name of another on a disk of Windows, as far as it is there", async () => {
		const world = await makeWorld({ "ws/GIT~1/config": "x", "ws/AGENTS~1.MD": "x", "ws/a~b/c~": "x" });
		const everything = { mode: "auto" as const, rules: rules({ allow: ["*"] }) };
		const decisions = async (use: PathUse, ...names: string[]) =>
			Promise.all(
				names.map(async (name) => (await paths(world, use === "read" ? tools.read : tools.create, [[name, use]], everything)).decision),
			);
		assert.deepEqual(await decisions("read", "GIT~1/config", "AGENTS~1.MD", "a~b/c~", "HEAD~1"), ["ask", "ask", "allow", "allow"]);
		assert.deepEqual(await decisions("create", "GIT~1/hooks/x", "ENV~1", "a~b/x"), ["ask", "allow", "allow"]);
		await world.dispose();
	});
});
