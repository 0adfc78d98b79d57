// Assesses interpreters: standing approvals are possible for a script file, bound to that file, never for inline code.
import { t } from "../../../shared/l10n.ts";
import type { ApprovalBinding, Assessment, Assessor, AssessorTable, Invocation } from "../assessment.ts";
import { askEveryTime, pathOperands, projectRunner } from "./projectRunner.ts";
import { projectTools } from "./projectTools.ts";

interface Interpreter {
	/** Flags before the script that change neither what is loaded nor from where. */
	quiet: RegExp;
	/** Pattern of a script's file name. */
	script: RegExp;
	/** The script's subcommand is part of the class: `php artisan test`. */
	named?: true;
}

function interpreter({ quiet, script, named }: Interpreter): Assessor {
	return (call) => {
		const [program = "", ...given] = call.words;
		const rest = [...given];
		while (rest[0] !== undefined && quiet.test(rest[0])) rest.shift();
		const [file, ...args] = rest;
		if (file === undefined || file.startsWith("-") || call.unknown.size > 0) return assessInlineCode(call);
		if (!script.test(file)) return askEveryTime(call, t("{0} can run any code.", program));
		const sub = named && /^[a-z][\w:-]*$/.test(args[0] ?? "") ? [args[0] as string] : [];
		return {
			asks: t("{0} can run any code.", program),
			class: [program, file, ...sub].join(" "),
			bindings: [{ kind: "script", files: [file] }],
			operands: pathOperands([file, ...args.filter((word) => !word.startsWith("-"))]),
		};
	};
}

/** Applies to the user's rules, too: the approved name does not show what runs. */
function assessInlineCode(call: Invocation): Assessment {
	const [program = ""] = call.words;
	return { always: t("{0} runs code from the command line or standard input.", program), operands: askEveryTime(call, "").operands };
}

const python = interpreter({ quiet: /^-[uBOEsI]$/, script: /^[\w./-]+\.py$/ });

/** Modules with a table; any other module name may run anything. */
const modules: AssessorTable = {
	...Object.fromEntries(Object.entries(projectTools).filter(([name]) => /^(pytest|mypy|ruff)$/.test(name))),
	unittest: projectRunner({
		flags: { alone: "-v --verbose -q --quiet -f --failfast -b --buffer -c --catch --locals", text: "-k -s -p -t --durations" },
		bindings: [],
	}),
};

/** `python -m pytest` is pytest unless a workspace file has that name, because Python looks there first. */
const judgePython: Assessor = (call) => {
	const [program = "", flag, module = "", ...rest] = call.words;
	if (flag !== "-m") return python(call);
	const tool = Object.hasOwn(modules, module) ? modules[module]?.({ ...call, words: [module, ...rest] }) : undefined;
	if (tool?.class === undefined) return askEveryTime(call, t("{0} can run any code.", [program, flag, module].join(" ")));
	const moduleFiles = [`${module}.py`, `${module}/__init__.py`, `${module}/__main__.py`];
	const shadows = moduleFiles.map((name): ApprovalBinding => ({ kind: `module ${name}`, nearest: [name] }));
	return { ...tool, class: `${program} -m ${tool.class}`, bindings: [...(tool.bindings ?? []), ...shadows] };
};

const shell = interpreter({ quiet: /^-[eux]+$|^--(noprofile|norc|posix)$/, script: /^[\w./-]*[\w-]\.(sh|bash)$/ });
const javascript = interpreter({ quiet: /^--(trace-warnings|no-warnings|enable-source-maps|test)$/, script: /^[\w./@-]+\.[cm]?[jt]s$/ });

const names: Readonly<Record<string, Assessor>> = {
	"python python3 pypy pypy3": judgePython,
	"node nodejs": javascript,
	"bash sh dash zsh ksh": shell,
	ruby: interpreter({ quiet: /^-[wW]\d?$/, script: /^[\w./-]+\.rb$/ }),
	perl: interpreter({ quiet: /^-[wT]$/, script: /^[\w./-]+\.pl$/ }),
	php: interpreter({ quiet: /^$/, script: /^(artisan|bin\/console|[\w./-]+\.php)$/, named: true }),
	lua: interpreter({ quiet: /^$/, script: /^[\w./-]+\.lua$/ }),
};

export const interpreters: AssessorTable = Object.fromEntries(
	Object.entries(names).flatMap(([programs, judge]) => programs.split(" ").map((program) => [program, judge])),
);
