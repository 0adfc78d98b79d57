// The thread that is measured: a gate over a world of files, asked one line after the other.
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { Gate } from "../../../src/core/ports/gate.ts";
import { ask, withGate } from "../vectors/arenaGate.ts";
import { type Fixture, fixtureAt, layFixture } from "../vectors/fixture.ts";
import type { Held, HeldJob } from "./held.ts";
import { holdOf, scaled } from "./hold.ts";
import type { Input } from "./inputs.ts";

/** Milliseconds, longer than from one look at the clock to the next. */
const TICK = 10;
const ROLES = ["planner", "tester", "actor"];

export async function serveThread(): Promise<never> {
	const { root, parser, world } = workerData as Pick<HeldJob, "root" | "parser" | "world">;
	const fixture = fixtureAt(root, process.env["PATH"] ?? "");
	layFixture(fixture, {
		"ws/victim": "x\n",
		"ws/evil.sh": "#!/bin/sh\n",
		"ws/src/a.ts": "x\n",
		"ws/README.md": "x\n",
		"ws/package.json": "{}\n",
		"ws/script.txt": "x\n",
	});
	worlds[world](fixture);
	await withGate(fixture, fixture.env, parser, async (gate) => {
		// The parser is loaded once for an editor; what that costs is measured elsewhere.
		await gate.command("ls victim && cat src/a.ts | wc -l");
		parentPort?.on("message", (input: Input) => void measure(gate, input).then((held) => parentPort?.postMessage(held)));
		parentPort?.postMessage("ready");
		await new Promise(() => undefined);
	});
	throw new Error("The thread has ended by itself.");
}

async function measure(gate: Gate, { name, text }: Input): Promise<Held> {
	const rules = { deny: ["execute_command(touch *)"], ask: [], allow: ["execute_command(ls *)"] };
	const decisions: Record<string, string> = {};
	const { held, took, unit } = await holdOf(async () => {
		const command = await gate.command(text);
		for (const role of ROLES) {
			// Each role's decision is measured by itself.
			await pause(TICK);
			decisions[role] = ask(gate, command, { role, mode: "plan", rules, grants: [], sandbox: "off" }).decision;
		}
	});
	return { name, held: Math.round(scaled(held, unit)), took: Math.round(scaled(took, unit)), decisions };
}

const worlds: Readonly<Record<HeldJob["world"], (fixture: Fixture) => void>> = {
	plain: () => undefined,
	/** 200,000 files in 2,000 folders. */
	"many files": ({ workspace }) => {
		for (let folder = 0; folder < 2_000; folder++) {
			const path = join(workspace, "many", `f${folder % 40}`, `g${folder}`);
			mkdirSync(path, { recursive: true });
			for (let file = 0; file < 100; file++) writeFileSync(join(path, `n${file}.ts`), "");
		}
	},
	rings: ({ workspace }) => {
		symlinkSync("loop", join(workspace, "loop"));
		symlinkSync("two", join(workspace, "one"));
		symlinkSync("one", join(workspace, "two"));
		mkdirSync(join(workspace, "ring"));
		symlinkSync("..", join(workspace, "ring", "up"));
		symlinkSync(".", join(workspace, "ring", "here"));
	},
	/** The repository's configuration includes something that nobody ever writes to. */
	fifo: ({ workspace, env }) => {
		execFileSync("mkfifo", [join(workspace, ".git", "pipe"), join(workspace, "pipe")], { env });
		execFileSync("git", ["config", "include.path", "pipe"], { cwd: workspace, env });
		rmSync(join(workspace, "README.md"));
		symlinkSync("pipe", join(workspace, "README.md"));
	},
};
