// Tables of test runners, linters, compilers, and bundlers, with flags that load or write nothing else.

// In Node.js tools, except those that use commander, the letters after a flag are flags of their own: `jest -tc x` is `-t -c x`.
import type { ApprovalBinding, AssessorTable } from "../assessment.ts";
import { projectRunner } from "./projectRunner.ts";

function configuration(kind: string, names: string): ApprovalBinding {
	return { kind, nearest: names.split(" ") };
}

/** `x.config` with every extension that JavaScript tools support. */
function scripts(name: string): string {
	return ["ts", "mts", "cts", "js", "mjs", "cjs"].map((ending) => `${name}.config.${ending}`).join(" ");
}

/** A tool's section of the manifest; other changes to the manifest do not matter. */
function inManifest(key: string): ApprovalBinding {
	return { kind: `${key} of package.json`, nearest: ["package.json"], read: (text) => settingsIn(text, key) };
}

function settingsIn(text: string, key: string): { defines: string } | undefined {
	try {
		const found: unknown = JSON.parse(text);
		return { defines: JSON.stringify((found as Record<string, unknown> | null)?.[key] ?? null) };
	} catch {
		return undefined;
	}
}

/** One file per folder counts, in every parent folder. */
const eslintrc = ".eslintrc.js .eslintrc.cjs .eslintrc.yaml .eslintrc.yml .eslintrc.json .eslintrc";
const jest = configuration("jest", `${scripts("jest")} jest.config.json`);
const vite = configuration("vite", scripts("vite"));
/** Lists project configurations. */
const vitestProjects: ApprovalBinding = {
	kind: "vitest projects",
	upwards: ["ts", "js", "mts", "mjs", "cts", "cjs", "json"].map((ending) => `vitest.workspace.${ending}`),
};
const pytestBindings: readonly ApprovalBinding[] = [
	configuration("pytest", "pytest.ini .pytest.ini pyproject.toml tox.ini setup.cfg"),
	configuration("conftest", "conftest.py"),
	{ kind: "conftest", everywhere: ["conftest.py"], leaves: [".venv", "venv", "env", ".tox", ".nox", "site-packages"] },
];

const RSPEC_FORMAT = /^(p|d|h|j|f|progress|documentation|html|json|failures)$/;

export const projectTools: AssessorTable = {
	jest: projectRunner({
		flags: {
			alone:
				"--watch --watchAll --coverage --ci --bail -b --verbose --silent --runInBand -i --passWithNoTests --no-cache --onlyChanged -o " +
				"--updateSnapshot -u --expand -e --listTests --json --colors --no-colors --detectOpenHandles --forceExit --notify --all --version",
			text: "--testNamePattern --testTimeout --maxWorkers --selectProjects --testPathPattern --testPathPatterns --shard --maxConcurrency",
			detached: "-t -w",
			optional: "--bail --coverage",
		},
		writes: ["-u", "--updateSnapshot"],
		bindings: [jest, inManifest("jest")],
	}),
	vitest: projectRunner({
		flags: {
			alone:
				"--run --watch --no-watch --coverage --passWithNoTests --silent --hideSkippedTests --no-color --update -u --bail --changed --version -w",
			text: "--testNamePattern --project --testTimeout --shard",
			detached: "-t",
			optional: "--bail --coverage --changed --silent",
		},
		writes: ["-u", "--update"],
		bindings: [configuration("vitest", `${scripts("vitest")} ${scripts("vite")}`), vitestProjects],
	}),
	mocha: projectRunner({
		flags: {
			alone:
				"--bail -b --check-leaks --exit --parallel -p --recursive --watch -w --color --no-color --forbid-only --forbid-pending --inline-diffs --sort",
			text: "--grep --fgrep --timeout --slow --retries --jobs",
			detached: "-g -f -t -s -j",
		},
		bindings: [
			configuration("mocha", ".mocharc.js .mocharc.cjs .mocharc.yaml .mocharc.yml .mocharc.jsonc .mocharc.json"),
			inManifest("mocha"),
		],
	}),
	eslint: projectRunner({
		flags: {
			alone:
				"--fix --fix-dry-run --quiet --cache --no-cache --color --no-color --no-inline-config --report-unused-disable-directives --debug --no-warn-ignored",
			text: "--ext --max-warnings --ignore-pattern --fix-type --cache-strategy",
		},
		writes: ["--fix"],
		bindings: [
			configuration("eslint", `${scripts("eslint")} ${eslintrc}`),
			{ kind: "eslint", upwards: eslintrc.split(" ") },
			inManifest("eslintConfig"),
		],
	}),
	prettier: projectRunner({
		flags: {
			alone: "--check -c --list-different -l --write -w --no-color --ignore-unknown -u --cache --no-error-on-unmatched-pattern",
			text: "--log-level --end-of-line",
		},
		writes: ["--write", "-w"],
		prints: ["--check", "-c", "--list-different", "-l", "--write", "-w"],
		bindings: [
			configuration(
				"prettier",
				`${scripts("prettier")} .prettierrc .prettierrc.json .prettierrc.yaml .prettierrc.yml .prettierrc.json5 .prettierrc.js .prettierrc.cjs .prettierrc.mjs .prettierrc.ts .prettierrc.toml`,
			),
			inManifest("prettier"),
		],
	}),
	tsc: projectRunner({
		flags: {
			// Long names may have one dash: `-tsBuildInfoFile x` is not `-t`.
			oneDash: true,
			alone:
				"--noEmit --watch -w --build -b --pretty --incremental --strict --skipLibCheck --listFiles --diagnostics --extendedDiagnostics --noErrorTruncation --version -v",
			text: "--target -t --module -m --moduleResolution --jsx --lib",
		},
		projects: ["--build", "-b"],
		bindings: [{ kind: "tsconfig", nearest: ["tsconfig.json"], read: extractTsconfig }],
	}),
	playwright: projectRunner({
		subcommands: "test",
		flags: {
			alone: "--headed --list --ui --debug --quiet --last-failed --fully-parallel -x",
			text: "-g --grep --grep-invert --project --workers -j --retries --timeout --shard --max-failures --repeat-each",
		},
		bindings: [configuration("playwright", scripts("playwright"))],
	}),
	next: projectRunner({
		subcommands: "build dev lint start",
		network: "dev start",
		flags: { alone: "--turbo --turbopack --debug -d --no-lint --profile", text: "--port -p --hostname -H" },
		bindings: [configuration("next", scripts("next"))],
	}),
	vite: projectRunner({
		subcommands: "build dev serve preview",
		network: "dev serve preview",
		flags: {
			alone: "--watch -w --clearScreen --debug -d --force --strictPort",
			text: "--port --mode --logLevel --base",
			detached: "-m -l",
		},
		bindings: [vite],
	}),
	pytest: projectRunner({
		flags: {
			alone:
				"-q --quiet -v -vv -vvv --verbose -x --exitfirst --lf --last-failed --ff --failed-first --sw --stepwise -s --collect-only --co --no-header --no-summary -l --showlocals --strict-markers --setup-show",
			text: "-k -m --maxfail --tb --durations -r --timeout -n --color",
			optional: "--cov",
		},
		bindings: pytestBindings,
	}),
	rspec: projectRunner({
		flags: {
			alone: "--fail-fast --color --no-color -b --backtrace --dry-run --only-failures -n --next-failure --profile -p",
			text: "-e --example -f --format --seed --order -t --tag",
		},
		// Any other name is looked up in project files.
		takes: { "-f": RSPEC_FORMAT, "--format": RSPEC_FORMAT },
		bindings: [configuration("rspec", ".rspec"), { kind: "rspec helper", nearest: ["spec/spec_helper.rb"] }],
	}),
	ruff: projectRunner({
		subcommands: "check format",
		writers: "format",
		flags: {
			alone: "--fix --diff --check --quiet -q --verbose -v --no-cache --statistics --watch -w",
			text: "--select --ignore --extend-select --output-format --line-length",
		},
		writes: ["--fix"],
		bindings: [configuration("ruff", "ruff.toml .ruff.toml pyproject.toml")],
	}),
	mypy: projectRunner({
		flags: {
			alone: "--strict --ignore-missing-imports --no-error-summary --pretty --show-error-codes -v --verbose",
			text: "--python-version --follow-imports -p -m",
		},
		bindings: [configuration("mypy", "mypy.ini .mypy.ini pyproject.toml setup.cfg")],
	}),
	biome: projectRunner({
		subcommands: "check lint format ci",
		flags: {
			alone: "--write --fix --unsafe --verbose --changed --staged --no-errors-on-unmatched",
			text: "--max-diagnostics --diagnostic-level --reporter --colors",
		},
		writes: ["--write", "--fix"],
		bindings: [configuration("biome", "biome.json biome.jsonc")],
	}),
};

/** Returns undefined if it cannot be parsed. Only paths are followed, because packages are code that runs, not its definition. */
function extractTsconfig(text: string): { defines: string; also: string[] } | undefined {
	const found = parsed(text);
	if (typeof found !== "object" || found === null) return undefined;
	const { extends: bases, references } = found as { extends?: unknown; references?: unknown };
	const projects = Array.isArray(references) ? references.map((one: { path?: unknown } | null) => one?.path) : [];
	const based = list(bases).filter((path) => /^\.{0,2}[/\\]|^\.{1,2}$/.test(path));
	const also = [
		...based.flatMap((path) => (path.endsWith(".json") ? [path] : [path, `${path}.json`])),
		...list(projects).flatMap((path) => (path.endsWith(".json") ? [path] : [`${path}/tsconfig.json`])),
	];
	return { defines: text, also };
}

function list(value: unknown): string[] {
	return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === "string");
}

/** JSON with comments and trailing commas. */
function parsed(text: string): unknown {
	const plain = text
		.replace(/^\uFEFF/, "")
		.replace(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, (_, quoted?: string) => quoted ?? " ")
		.replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, (_, quoted?: string) => quoted ?? "");
	try {
		return JSON.parse(plain);
	} catch {
		return undefined;
	}
}
