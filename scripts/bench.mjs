// Benchmarks Troupe (`npm run bench`) and shows each figure next to its baseline from the same run.

// Prints a table and writes out/bench.json. Arguments name parts (gate sandbox size turns turnsLong first opening
// opening2000 openingTasks opening1gb streaming activation memory registry requests delegation queue copies tasks
// tokens memory1000); all parts run if none is named. `--rounds N` repeats the run N times; `--no-build` uses dist/ as it is.
// Requires Linux, because processes are inspected through /proc.

// The parts in test/bench/*.mjs build and start what is measured. They are plain JavaScript like this script, because Node runs
// them before the build; code in the measured processes is TypeScript.

import { rmSync } from "node:fs";
import { mkdir, mkdtemp, readFile, writeFile } from "node:fs/promises";
import { cpus, loadavg, release, tmpdir, totalmem } from "node:os";
import { dirname, join } from "node:path";
import { chromium } from "playwright-core";
import { measureActivation } from "../test/bench/activation.mjs";
import { measureCopies } from "../test/bench/copies.mjs";
import { measureDelegation } from "../test/bench/delegation.mjs";
import { isMet, table } from "../test/bench/figures.mjs";
import { measureFirstRequest } from "../test/bench/firstRequest.mjs";
import { measureGate } from "../test/bench/gate.mjs";
import { measureMemory } from "../test/bench/memory.mjs";
import { measureOpening } from "../test/bench/opening.mjs";
import { measureOpening1gb } from "../test/bench/opening1gb.mjs";
import { measureOpening2000, measureOpeningTasks } from "../test/bench/opening2000.mjs";
import { measureQueueing } from "../test/bench/queue.mjs";
import { measureRegistry } from "../test/bench/registry.mjs";
import { measureRequests } from "../test/bench/requests.mjs";
import { measureSandbox } from "../test/bench/sandbox.mjs";
import { measureSize } from "../test/bench/size.mjs";
import { measureStreaming } from "../test/bench/streaming.mjs";
import { measureTasks } from "../test/bench/tasks.mjs";
import { measureTokens } from "../test/bench/tokens.mjs";
import { measureTurns } from "../test/bench/turns.mjs";
import { measureTurnsLong } from "../test/bench/turnsLong.mjs";
import { measureTurnsMemory } from "../test/bench/turnsMemory.mjs";
import { browserArguments, ensureBrowser } from "./browser.mjs";
import { ensureInstalled, root, vscodeFromNpm } from "./install.mjs";
import { run } from "./processes.mjs";

const parts = {
	turns: { measure: measureTurns, needs: ["package", "browser"] },
	turnsLong: { measure: measureTurnsLong, needs: ["package", "browser"] },
	first: { measure: measureFirstRequest, needs: ["package", "browser"] },
	activation: { measure: measureActivation, needs: ["package", "browser"] },
	memory: { measure: measureMemory, needs: ["package", "browser"] },
	opening: { measure: measureOpening, needs: ["package", "browser"] },
	opening2000: { measure: measureOpening2000, needs: ["browser"] },
	openingTasks: { measure: measureOpeningTasks, needs: ["browser"] },
	opening1gb: { measure: measureOpening1gb, needs: [] },
	streaming: { measure: measureStreaming, needs: ["browser"] },
	gate: { measure: measureGate, needs: [] },
	sandbox: { measure: measureSandbox, needs: [] },
	registry: { measure: measureRegistry, needs: [] },
	requests: { measure: measureRequests, needs: [] },
	delegation: { measure: measureDelegation, needs: [] },
	queue: { measure: measureQueueing, needs: [] },
	copies: { measure: measureCopies, needs: [] },
	tasks: { measure: measureTasks, needs: [] },
	tokens: { measure: measureTokens, needs: [] },
	memory1000: { measure: measureTurnsMemory, needs: [] },
	size: { measure: measureSize, needs: ["package"] },
};

const given = process.argv.slice(2);
const optionValue = (option) => (given.includes(option) ? given[given.indexOf(option) + 1] : undefined);
const names = given.filter((word, index) => !word.startsWith("-") && given[index - 1] !== "--rounds");
const unknown = names.find((name) => !(name in parts));

const scratch = await mkdtemp(join(tmpdir(), "troupe-bench-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));
try {
	if (unknown) throw new Error(`There is no part ${unknown}. Parts are: ${Object.keys(parts).join(", ")}.`);
	await main(names.length > 0 ? names : Object.keys(parts));
} catch (error) {
	console.error(error instanceof Error ? error.message : error);
	process.exitCode = 1;
}
process.exit();

async function main(chosen) {
	const needs = new Set(chosen.flatMap((name) => parts[name].needs));
	const rounds = optionValue("--rounds");
	const say = (text) => process.stderr.write(`  ${text}\n`);
	const bench = { scratch, say, ...(rounds && { rounds: Number(rounds) }) };
	if (needs.has("package")) Object.assign(bench, await packageTroupe());
	if (needs.has("browser")) {
		await ensureInstalled();
		bench.browser = await chromium.launch({ executablePath: await ensureBrowser(), args: browserArguments });
	}
	const busy = loadavg()[0] / cpus().length;
	const figures = [];
	try {
		for (const name of chosen) {
			say(name);
			try {
				figures.push(...(await parts[name].measure(bench)));
			} catch (error) {
				// The other parts still run.
				console.error(`${name} failed: ${error instanceof Error ? error.message : error}`);
				process.exitCode = 1;
			}
		}
	} finally {
		await bench.browser?.close();
	}
	const machine = await describeMachine(bench.browser);
	console.log(`\n${table(figures)}\n\n${machine.sentence}`);
	if (busy > 0.5)
		console.log(`The machine was busy with other things (load ${busy.toFixed(1)} a core): times are longer than they need be.`);
	await keepResult({ at: new Date().toISOString(), machine, busy, figures: figures.map((figure) => ({ ...figure, met: isMet(figure) })) });
}

async function packageTroupe() {
	const vsix = join(scratch, "troupe.vsix");
	const build = given.includes("--no-build") ? ["--no-build"] : [];
	await run(process.execPath, [join(root, "scripts", "package.mjs"), "--out", vsix, ...build]);
	const metafile = JSON.parse(await readFile(join(root, "dist", "meta.json"), "utf8"));
	return { vsix, metafile };
}

async function describeMachine(browser) {
	const [{ model }] = cpus();
	const facts = {
		cpu: model.trim(),
		cores: cpus().length,
		memory: `${Math.round(totalmem() / 1_000_000_000)} GB`,
		system: `${process.platform} ${release()}`,
		node: process.version,
		...(browser && { vscode: await versionOfVscode(), browser: `Chromium ${browser.version()}` }),
	};
	const { cpu, cores, memory, system, node, vscode, browser: window } = facts;
	const sentence = [`${cpu}, ${cores} cores, ${memory}`, system, `Node ${node}`, vscode && `VS Code ${vscode}`, window]
		.filter(Boolean)
		.join(" · ");
	return { ...facts, sentence };
}

/** Version of the server that runs the extension hosts. */
async function versionOfVscode() {
	const manifest = join(dirname(dirname(vscodeFromNpm.server)), "package.json");
	return JSON.parse(await readFile(manifest, "utf8")).version;
}

async function keepResult(result) {
	await mkdir(join(root, "out"), { recursive: true });
	await writeFile(join(root, "out", "bench.json"), `${JSON.stringify(result, undefined, "\t")}\n`);
}
