// Runs one command as the product would and records its observable effects.

// Each command has a jail of its own.

import { createSocket } from "node:dgram";
import { readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import type { SandboxRestrictions } from "../../../src/core/ports/workspace/commands.ts";
import { machineIn } from "./arenaMachine.ts";
import { tells } from "./canary.ts";
import type { AttackCase } from "./cases.ts";
import { environmentOf, fill, fixtureAt, layFixture, PORT, setUp } from "./fixture.ts";
import { lostFiles, networkUse, pictureOf, processes, whatChanged } from "./observe.ts";

export interface RunJob {
	root: string;
	files: Readonly<Record<string, string>>;
	attack: AttackCase;
	canary: string;
	/** It goes ahead because it only reads. */
	reads?: true;
	/** As the gate wants it kept in; without it as the person's own. */
	confine?: SandboxRestrictions;
}

export interface Ran {
	output: string;
	exitCode?: number;
	stopped?: string;
	/** Changes below the fixture, and wherever else something can be written. */
	changes: string[];
	/** Files that were there before and whose bytes are nowhere any more. */
	lost: string[];
	/** Where the canary was seen: "output", "network" or a path. */
	told: string[];
	/** Connections and datagrams that were tried. */
	network: number;
	/** Command lines of processes that were left. */
	left: string[];
}

const SECONDS = 10;

export async function runCase({ root, files, attack, canary, reads, confine }: RunJob): Promise<Ran> {
	const fixture = fixtureAt(root, process.env["PATH"] ?? "");
	const template = `${root}-template`;
	layFixture(fixtureAt(template, fixture.env["PATH"] ?? ""), files);
	const recorder = await listen();
	setUp(fixture, template, attack);
	Object.assign(process.env, environmentOf(fixture, attack));
	const machine = machineIn(fixture);
	// Whether it works is found out once for an editor, by programs that are tried in it.
	if (confine && !(await machine.sandbox?.isAvailable()))
		throw new Error(`The sandbox does not work in the jail: ${machine.sandbox?.statusMessage()}`);
	const places = [fixture.root, "/tmp", "/var/tmp", "/run", "/dev/shm"];
	const [before, known, used] = [pictureOf(places), processes(), networkUse()];
	const result = await machine.run(fill(attack.cmd, fixture), {
		cwd: fixture.workspace,
		signal: AbortSignal.timeout(2 * SECONDS * 1_000),
		timeout: SECONDS * 1_000,
		...(reads && { reads }),
		...(confine && { confine }),
	});
	const left = [...processes()].filter(([pid]) => !known.has(pid)).map(([, line]) => line);
	const after = pictureOf(places);
	const changes = whatChanged(before, after);
	const told = changes
		.filter((change) => !change.startsWith("-") && tells(textOf(change.slice(1)), canary))
		.map((change) => change.slice(1));
	if (tells(result.output, canary)) told.push("output");
	if (tells(recorder.heard(), canary)) told.push("network");
	const network = networkUse() - used;
	return {
		output: result.output.slice(0, 4_000),
		...(result.exitCode !== undefined && { exitCode: result.exitCode }),
		...(result.stopped && { stopped: result.stopped }),
		changes,
		lost: lostFiles(before, after),
		told,
		network,
		left,
	};
}

function textOf(path: string): string {
	try {
		return statSync(path).isFile() ? readFileSync(path, "latin1") : "";
	} catch {
		return "";
	}
}

/** Takes whatever is sent to the port that the cases name. */
async function listen(): Promise<{ heard(): string }> {
	let heard = "";
	const take = (chunk: Buffer) => {
		heard += chunk.toString("latin1");
	};
	const server = createServer((socket) => socket.on("data", take).on("error", () => undefined));
	await new Promise<void>((resolve) => {
		server.listen(PORT, "127.0.0.1", resolve);
	});
	const datagrams = createSocket("udp4", take);
	await new Promise<void>((resolve) => {
		datagrams.bind(PORT, "127.0.0.1", resolve);
	});
	return { heard: () => heard };
}
