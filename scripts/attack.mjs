// Runs the attack tests (`npm run attack`): compromised models, and attacks executed in a jail.

// Arguments name suites (`vectors`, `words`, …). `--commands FILE` and `--everyday FILE` replace the project's own
// cases, `--only PATTERN` runs the cases whose whole id or family matches, and `--lines N` sets the number of
// generated command lines.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { root } from "./install.mjs";
import { ensureJail } from "./jail.mjs";

/** Suites that execute attacks or create files for them. */
const JAILED = ["vectors", "words", "budget"];

const options = {
	"--commands": "TROUPE_ATTACK_COMMANDS",
	"--everyday": "TROUPE_ATTACK_EVERYDAY",
	"--only": "TROUPE_ATTACK_ONLY",
	"--lines": "TROUPE_ATTACK_LINES",
};
const FILES = ["--commands", "--everyday"];
const env = { ...process.env };
const names = [];
const passed = [];
const given = process.argv.slice(2);
for (let at = 0; at < given.length; at += 1) {
	const [option, value] = given[at].split("=");
	if (!(option in options)) {
		(given[at].startsWith("-") ? passed : names).push(given[at]);
		continue;
	}
	const taken = value ?? given[++at];
	if (taken === undefined) fail(`${option} takes a value.`);
	if (FILES.includes(option) && !existsSync(resolve(taken))) fail(`${option} names ${taken}, which does not exist.`);
	env[options[option]] = FILES.includes(option) ? resolve(taken) : taken;
}

const everything = names.length === 0;
const here = process.platform === "linux";
if (everything && !here) console.log(`Left out, because a jail for attacks that really run needs Linux: ${JAILED.join(", ")}.`);
if ((everything && here) || names.some((name) => JAILED.some((suite) => name.startsWith(suite)))) {
	await ensureJail().catch((error) => fail(error.message));
}
const left = everything && !here ? JAILED.map((name) => `--not=${name}`) : [];
const child = spawn(process.execPath, [join(root, "scripts", "unit.mjs"), "--under=test/attack", ...left, ...names, ...passed], {
	cwd: root,
	env,
	stdio: "inherit",
});
child.on("exit", (code) => process.exit(code ?? 1));

function fail(sentence) {
	console.error(sentence);
	process.exit(2);
}
