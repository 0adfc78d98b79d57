// Assesses npm, pnpm, yarn, and bun: script approvals are bound to the manifest; installs always require approval.
import { t } from "../../../shared/l10n.ts";
import type { ApprovalBinding, Assessment, Assessor, AssessorTable, Invocation, ProjectFiles } from "../assessment.ts";
import { askEveryTime, askForExactLine, pathOperands, projectRunner } from "./projectRunner.ts";
import { projectTools } from "./projectTools.ts";

/** The manifest that the package manager reads scripts from, which approvals are bound to. */
function manifestOf(program: Manager): ApprovalBinding {
	return { kind: "package.json", nearest: namesOf(program), read: definesScripts };
}

/** Only pnpm reads other formats than the first. */
function namesOf(program: Manager): readonly string[] {
	return program === "pnpm" ? ["package.json", "package.json5", "package.yaml"] : ["package.json"];
}

/** These files can set the shell that runs scripts, replace the package manager, or load code first. */
const SETTINGS: Readonly<Record<Manager, readonly string[]>> = {
	npm: [".npmrc"],
	pnpm: [".npmrc", "pnpm-workspace.yaml", ".pnpmfile.cjs", ".pnpmfile.mjs"],
	yarn: [".npmrc", ".yarnrc", ".yarnrc.yml"],
	bun: [".npmrc", "bunfig.toml"],
};

/** `all`: scripts of every package in the workspace. */
function bindingsOf(program: Manager, all = false): readonly ApprovalBinding[] {
	const [manifest, settings] = [manifestOf(program), { kind: `${program} settings`, upwards: SETTINGS[program] }];
	if (!all) return [manifest, settings];
	return [
		{ ...manifest, nearest: [], everywhere: namesOf(program) },
		{ ...settings, everywhere: SETTINGS[program] },
	];
}

/** npm subcommands that run a script of the same name. */
const lifecycle = new Set(["test", "t", "tst", "start", "stop", "restart"]);
const runSubcommands = new Set(["run", "run-script", "rum", "urn"]);
/** These print what is installed. The project's configuration sets their log location, so they need the read sandbox. */
const listing = new Set(["ls", "list", "ll", "la", "root", "prefix", "bin", "why", "explain"]);
const outputFlags =
	/^(--silent|-s|--if-present|--quiet|--depth=\d+|-q|--all|-a|--json|--long|-l|--parseable|-p|--prod|--production|--dev|-D|-P|--no-color|--color)$/;
/** Script arguments that have the same meaning in every tool. */
const forwardedFlags =
	/^(--fix|--watch|-w|--coverage|--verbose|-v|--ci|--bail|--update-snapshot|-u|--reporter=(dot|spec|verbose|json)|-t=.*|--run|--passWithNoTests|--silent)$/;
/** The arguments become part of a shell command line, and not every version of every package manager quotes them. */
const SHELL_CHARACTERS = /[`$;|&<>()"'\\!\n\r]/;
/** npm itself takes it as the name of another package whose script would run. */
const SELECTS_WORKSPACE = /^-w/;
const serverScripts = /^(dev|start|serve|preview|watch|storybook)([:.-].*)?$/;

type Manager = "npm" | "pnpm" | "yarn" | "bun";

function manager(program: Manager): Assessor {
	return (call) => {
		const { everywhere, words, strange } = withoutSelection(program, call.words);
		if (strange !== undefined || call.unknown.size > 0) {
			return askEveryTime(call, t("Troupe doesn't know what {0} does with {1}.", program, strange ?? call.words.join(" ")));
		}
		const [sub = "", ...rest] = words;
		const bindings = bindingsOf(program, everywhere);
		const prefix = everywhere ? `${program} -r` : program;
		if (/^(-v|--version)$/.test(sub) && rest.length === 0)
			return { class: `${program} --version`, reads: true, sandboxed: true, operands: [] };
		if (listing.has(sub) && !everywhere) return listPackages(call, program, sub, rest);
		if (program === "bun" && sub === "test" && !everywhere) return bunTests(call, rest, bindings);
		if (runSubcommands.has(sub)) return runNamed(call, prefix, `${prefix} ${sub}`, rest, bindings, program);
		if (lifecycle.has(sub) && program !== "bun") return runScript(call, `${prefix} ${sub}`, fullName(sub), rest, bindings);
		if (sub === "exec" && program !== "npm") return runLocal(call, `${program} exec`, rest, program);
		if ((program === "yarn" || program === "pnpm") && /^\w[\w:.-]*$/.test(sub))
			return runByName(call, prefix, sub, rest, bindings, program);
		return askEveryTime(call, t("{0} can install packages that run their own scripts.", [program, sub].join(" ").trim()));
	};
}

/** bun's own test runner, which runs no script. */
function bunTests(call: Invocation, rest: readonly string[], bindings: readonly ApprovalBinding[]): Assessment {
	const assessed = projectRunner({
		flags: {
			alone: "--watch --hot --only --todo --coverage --randomize --pass-with-no-tests --update-snapshots -u",
			text: "--test-name-pattern --timeout --rerun-each --seed",
			detached: "-t",
			optional: "--bail",
		},
		writes: ["-u", "--update-snapshots"],
		bindings,
	})({ ...call, words: ["test", ...rest] });
	return assessed.class === undefined ? askForExactLine(call, assessed.asks ?? "", bindings) : { ...assessed, class: "bun test" };
}

/** `pnpm --filter app`, `pnpm -r`, `npm -w app`, `--workspaces`: scripts of other packages in this workspace. */
function withoutSelection(program: Manager, given: readonly string[]): { everywhere: boolean; words: string[]; strange?: string } {
	const words = given.slice(1);
	let everywhere = false;
	while (words[0]?.startsWith("-")) {
		const [flag] = words as [string];
		if (/^(-v|--version)$/.test(flag)) break;
		if (program === "pnpm" && /^(-r|--recursive)$/.test(flag)) words.shift();
		else if (program === "pnpm" && /^(--filter|-F)$/.test(flag) && words.length > 1) words.splice(0, 2);
		else if ((program === "pnpm" || program === "bun") && /^--filter=/.test(flag)) words.shift();
		else if (program === "npm" && /^(--workspaces|-ws|--workspace=.*|-w=.*)$/.test(flag)) words.shift();
		else if (program === "npm" && /^(-w|--workspace)$/.test(flag) && words.length > 1) words.splice(0, 2);
		else if (/^(--silent|-s)$/.test(flag)) {
			words.shift();
			continue;
		} else return { everywhere, words, strange: flag };
		everywhere = true;
	}
	return { everywhere, words };
}

function listPackages(call: Invocation, program: string, sub: string, rest: readonly string[]): Assessment {
	const flag = rest.find((word) => word.startsWith("-") && !outputFlags.test(word));
	if (flag !== undefined) return askEveryTime(call, t("Troupe doesn't know what {0} does with {1}.", program, flag));
	return { class: `${program} ${sub}`, reads: true, sandboxed: true, operands: [] };
}

function runNamed(
	call: Invocation,
	prefix: string,
	words: string,
	rest: readonly string[],
	bindings: readonly ApprovalBinding[],
	program: Manager,
): Assessment {
	const at = rest.findIndex((word) => !outputFlags.test(word));
	const name = rest[at];
	if (name === undefined || name.startsWith("-")) {
		return name === undefined
			? { class: words, operands: [] }
			: askEveryTime(call, t("Troupe doesn't know what {0} does with {1}.", words, name));
	}
	// A name with spaces or line breaks would look like additional words in the sentence that says what is covered.
	if (!/^[\w.:@+/-]+$/.test(name)) return askEveryTime(call, t("Troupe doesn't know what {0} does with {1}.", words, name));
	const assessed = runScript(call, `${words} ${name}`, name, rest.slice(at + 1), bindings);
	if (program === "npm") return assessed;
	return { ...assessed, later: async (project) => ((await hasScript(project, program, name)) ? assessed : noScript(call, prefix, name)) };
}

/** yarn and pnpm accept any word as the name of a script, of a package's program, or of a program on this computer. */
function runByName(
	call: Invocation,
	prefix: string,
	name: string,
	rest: readonly string[],
	bindings: readonly ApprovalBinding[],
	program: Manager,
): Assessment {
	const assessed = runScript(call, `${prefix} ${name}`, name, rest, bindings);
	return {
		...assessed,
		later: async (project) => {
			if (await hasScript(project, program, name)) return assessed;
			if (!(await project.upwards(`node_modules/.bin/${name}`))) return noScript(call, prefix, name);
			return runTool(call, prefix, [name, ...rest], program);
		},
	};
}

function noScript(call: Invocation, program: string, name: string): Assessment {
	return askEveryTime(call, t("{1} can't find a script named {0} in the project manifest.", name, program));
}

function runScript(
	call: Invocation,
	covers: string,
	name: string,
	rest: readonly string[],
	bindings: readonly ApprovalBinding[],
): Assessment {
	const passed = rest[0] === "--" ? rest.slice(1) : rest;
	const isNpmFlag = call.words[0] === "npm" && rest[0] !== "--";
	const known = (word: string) => outputFlags.test(word) || (forwardedFlags.test(word) && !(isNpmFlag && SELECTS_WORKSPACE.test(word)));
	const flag = passed.find((word) => word.startsWith("-") && !known(word));
	if (flag !== undefined) {
		const asks = t("Troupe doesn't know what {0} does with {1}.", covers, flag);
		return rest[0] === "--" ? askForExactLine(call, asks, bindings) : askEveryTime(call, asks);
	}
	const active = passed.find((word) => SHELL_CHARACTERS.test(word));
	if (active !== undefined) return askForExactLine(call, t("Troupe doesn't know what {0} does with {1}.", covers, active), bindings);
	return {
		class: covers,
		bindings,
		operands: pathOperands(passed.filter((word) => !word.startsWith("-"))),
		...(serverScripts.test(name) && { network: true }),
	};
}

/** `npx X`: runs the program in node_modules/.bin of the workspace. Anything else would be downloaded. */
function runLocal(call: Invocation, prefix: string, given: readonly string[], program: Manager): Assessment {
	const words = given.slice(/^(--|--no|--no-install|--silent)$/.test(given[0] ?? "") ? 1 : 0);
	const [name = ""] = words;
	if (!/^\w[\w.-]*$/.test(name) || call.unknown.size > 0) return askEveryTime(call, t("{0} installs or runs packages.", prefix));
	const fetched = askEveryTime(call, t("{0} doesn't come from a package in this workspace, so {1} would download it.", name, prefix));
	return {
		...fetched,
		later: async (project) => ((await project.upwards(`node_modules/.bin/${name}`)) ? runTool(call, prefix, words, program) : fetched),
	};
}

/** A known tool is assessed by its table; for an unknown one, only this exact line can be approved. */
function runTool(call: Invocation, prefix: string, words: readonly string[], program: Manager): Assessment {
	const [name = ""] = words;
	const known = Object.hasOwn(projectTools, name) ? projectTools[name]?.({ ...call, words }) : undefined;
	const assessed = known ?? askForExactLine({ words }, t("Troupe doesn't recognize the program {0}.", name), [manifestOf(program)]);
	const settings = bindingsOf(program).slice(1);
	const bound = { ...assessed, bindings: [...(assessed.bindings ?? []), ...settings] };
	return assessed.class === undefined ? bound : { ...bound, class: `${prefix} ${assessed.class}` };
}

async function hasScript(project: ProjectFiles, program: Manager, name: string): Promise<boolean> {
	const found = await project.nearest(namesOf(program));
	const scripts = found && parsed(found.text, found.name)?.["scripts"];
	return typeof scripts === "object" && scripts !== null && Object.hasOwn(scripts, name);
}

function fullName(sub: string): string {
	return sub === "t" || sub === "tst" ? "test" : sub;
}

/** `packageManager` decides which program runs the scripts. For formats that only pnpm reads, the whole text counts. */
function definesScripts(text: string, name: string): { defines: string } | undefined {
	if (!name.endsWith(".json")) return { defines: text };
	const found = parsed(text, name);
	if (!found) return undefined;
	const scripts = JSON.stringify(found["scripts"] ?? {});
	return { defines: found["packageManager"] === undefined ? scripts : JSON.stringify([scripts, found["packageManager"]]) };
}

function parsed(text: string, name: string): Record<string, unknown> | undefined {
	if (!name.endsWith(".json")) return undefined;
	try {
		const found: unknown = JSON.parse(text);
		return typeof found === "object" && found !== null ? (found as Record<string, unknown>) : undefined;
	} catch {
		return undefined;
	}
}

export const packageManagers: AssessorTable = {
	npm: manager("npm"),
	pnpm: manager("pnpm"),
	yarn: manager("yarn"),
	bun: manager("bun"),
	npx: (call) => runLocal(call, "npx", call.words.slice(1), "npm"),
	bunx: (call) => runLocal(call, "bunx", call.words.slice(1), "bun"),
};
