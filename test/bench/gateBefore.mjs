// Decisions of today's gate beside those of the last commit that judged commands by lists, in turns of one run.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../scripts/install.mjs";
import { median } from "./figures.mjs";
import { gateTurns } from "./gateTurns.mjs";

const BEFORE = "89c2f84";
const TURNS = 5;
const ROUNDS = 200;

/** Figures; those that need the earlier commit are left out, and that is said, in a clone that lacks it. */
export async function measureGateBefore({ say, rounds = ROUNDS }) {
	const now = await gateTurns("gate-now");
	const before = mkdtempSync(join(tmpdir(), "troupe-before-"));
	try {
		const earlier = laySources(before) ? await gateTurns("gate-before", join(before, "src")) : undefined;
		if (!earlier) say(`This clone does not have ${BEFORE}: decisions are not compared with it.`);
		const seen = { earlier: [], now: [] };
		for (let turn = 0; turn < TURNS; turn += 1) {
			if (earlier) seen.earlier.push(await earlier.turns(rounds));
			seen.now.push(await now.turns(rounds));
		}
		return [...(earlier ? compared(seen) : []), walked(seen.now), heldFigure(await now.held())];
	} finally {
		rmSync(before, { recursive: true, force: true });
	}
}

function laySources(folder) {
	try {
		const archive = execFileSync("git", ["archive", BEFORE, "src", "package.json"], {
			cwd: root,
			maxBuffer: 1 << 28,
			stdio: ["ignore", "pipe", "ignore"],
		});
		execFileSync("tar", ["-x", "-C", folder], { input: archive });
		return true;
	} catch {
		return false;
	}
}

function compared({ earlier, now }) {
	const texts = Object.keys(now[0].commands);
	const of = (runs) => Object.fromEntries(texts.map((text) => [text, all(runs, ({ commands }) => commands[text])]));
	const [medians, floorMedians] = [of(now), of(earlier)];
	const mean = (medianOf) => texts.reduce((sum, text) => sum + medianOf[text], 0) / texts.length;
	return [
		{
			name: "whole decision on a command, mean of medians (floor: before commands had tables)",
			unit: "ms",
			value: mean(medians),
			floor: mean(floorMedians),
			reach: { ratio: 1.5 },
			details: { medians, floorMedians },
		},
		{
			name: "whole decision on a path, median (floor: the same before)",
			unit: "ms",
			value: all(now, ({ paths }) => paths),
			floor: all(earlier, ({ paths }) => paths),
			reach: { ratio: 1 },
		},
	];
}

function walked(now) {
	return {
		name: "a command over a folder of 5,000 files (floor: over one file)",
		unit: "ms",
		value: all(now, ({ far }) => far),
		floor: all(now, ({ near }) => near),
		reach: { over: 15 },
	};
}

function heldFigure(held) {
	const [[worst, value]] = Object.entries(held).sort(([, one], [, other]) => other - one);
	return {
		name: `event loop held by a line of 1 MB, the worst: ${worst.split(",")[0]}`,
		unit: "ms",
		value,
		reach: { value: 50 },
		details: held,
	};
}

const all = (runs, pick) => median(runs.flatMap(pick));
