// Real git repositories in a temporary home, and the gate's queries to the real git about them.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { GateContext } from "../../../../src/core/ports/gate.ts";
import type { ProgramOutput } from "../../../../src/core/ports/workspace/programs.ts";
import { assessGit } from "../../../../src/gate/git/git.ts";
import { type GitFacts, gitFacts } from "../../../../src/gate/git/gitFacts.ts";
import { protectedPlace } from "../../../../src/gate/hostProtection.ts";
import { createPathResolver } from "../../../../src/gate/pathResolver.ts";
import type { Assessment } from "../../../../src/gate/programs/assessment.ts";
import { createPrograms, type Programs } from "../../../../src/platform/programs/programs.ts";
import { disk } from "../world.ts";

/** What the gate would say of one git command, as far as git is concerned. */
export type Outcome = "goes" | "class" | "asks" | "always";

export interface Fixture {
	/** Holds `home`, `outside` and the workspace `ws`. */
	root: string;
	ws: string;
	programs: Programs;
	gateContext: GateContext;
	/** Every question that git was asked, and what it said. */
	asked: { words: readonly string[]; said: ProgramOutput | undefined }[];
	/** Runs bash in the workspace. */
	bash(script: string, folder?: string): void;
	facts(words: readonly string[], folder?: string): Promise<{ judgement: Assessment; facts: GitFacts }>;
	outcome(line: string, folder?: string): Promise<Outcome>;
	dispose(): void;
}

const files: Record<string, string> = {
	"ws/.env": "SECRET=canary7f3a91c2\n",
	"ws/src/a.ts": "export const a = 1;\n",
	"ws/src/b.ts": "// needle\nexport const b = 2;\n",
	"ws/README.md": "# read me\nneedle\n",
	"ws/victim": "one\ntwo\nneedle\n",
	"ws/evil.sh": '#!/bin/sh\ntouch "$PWD/PWNED"\n',
	"ws/script.txt": "needle\ntouch PWNED\n",
	"ws/package.json": '{ "name": "w", "version": "1.0.0" }\n',
	"ws/tpl/ok.txt": "ok\n",
	"outside/secret.txt": "canary7f3a91c2\n",
	"home/.gitconfig": "[user]\n\tname = a\n\temail = a@b\n[init]\n\tdefaultBranch = main\n[advice]\n\taddEmbeddedRepo = false\n",
};
const repository =
	"chmod +x evil.sh; ln -s ../outside link; git init -q && git add src README.md victim package.json script.txt && git commit -qm one && " +
	"echo three >> victim && git commit -qam two && git tag v1";

/** Milliseconds. */
const TIMEOUT = 20_000;

/** `inTime`: git has as little time as the gate gives it; otherwise as much as it needs while other tests run. */
export function fixture({ git = true, folder = "ws", inTime = false } = {}): Fixture {
	const root = realpathSync(mkdtempSync(join(tmpdir(), "git-")));
	for (const [name, text] of Object.entries(files)) {
		mkdirSync(dirname(join(root, name)), { recursive: true });
		writeFileSync(join(root, name), text);
	}
	const ws = join(root, "ws");
	const home = process.env["HOME"];
	process.env["HOME"] = join(root, "home");
	const folders = () => [{ name: "ws", path: join(root, folder) }];
	const programs = createPrograms({ folders, extraVariables: () => [], findRipgrep: (find) => find("rg") });
	const asked: Fixture["asked"] = [];
	const host: Programs = {
		...programs,
		async git(at, words, limits) {
			const said = await programs.git(at, words, inTime ? limits : { ...limits, time: TIMEOUT });
			asked.push({ words, said });
			return said;
		},
	};
	const gateContext: GateContext = { disk, folders, storage: [], parser: "", host };
	const paths = createPathResolver(gateContext);
	const env = { PATH: process.env["PATH"] ?? "", HOME: join(root, "home"), GIT_CONFIG_NOSYSTEM: "1", LANG: "C.UTF-8" };
	const made: Fixture = {
		root,
		ws,
		programs,
		gateContext,
		asked,
		bash(script, at = ws) {
			const { status, stderr } = spawnSync("bash", ["-c", script], { cwd: at, env, encoding: "utf8" });
			if (status !== 0) throw new Error(`${script}: ${stderr}`);
		},
		async facts(words, at = ws) {
			const judgement = assessGit({ words, unknown: new Set(), flavor: "gnu" });
			if (!judgement.git) return { judgement, facts: {} };
			return { judgement, facts: await gitFacts({ gateContext, paths, look: paths.look() }, judgement.git, [at]) };
		},
		async outcome(line, at = ws) {
			const { judgement, facts } = await made.facts(wordsOf(line), at);
			const look = paths.look();
			const operands = await Promise.all(judgement.operands.map(({ word, use }) => paths.word(word, at, use, look)));
			const hidden = [...operands, ...(facts.paths ?? [])].some((fact) => protectedPlace(fact) !== undefined);
			if (judgement.always !== undefined || facts.always !== undefined || hidden) return "always";
			if (judgement.asks !== undefined || judgement.deletes) return "asks";
			return judgement.reads ? "goes" : judgement.class === undefined ? "asks" : "class";
		},
		dispose() {
			process.env["HOME"] = home;
			rmSync(root, { recursive: true, force: true });
		},
	};
	if (git) made.bash(repository);
	return made;
}

/** Plain words and quoted ones, as bash would make them. */
export function wordsOf(line: string): string[] {
	return [...line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replace(/'([^']*)'|"([^"]*)"/g, "$1$2"));
}
