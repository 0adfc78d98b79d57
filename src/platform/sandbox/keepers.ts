// The means of this system to keep a program in; or why there is none.
import { t } from "../../shared/l10n.ts";
import { captureOutput } from "../programs/ask.ts";
import { type BubblewrapOptions, canBindDescriptors, wrapWithBubblewrap } from "./bubblewrap.ts";
import { wrapWithSeatbelt } from "./seatbelt.ts";
import { createSystemCallFilter } from "./seccomp.ts";
import type { SandboxLaunch } from "./start.ts";
import type { SandboxPolicy } from "./view.ts";

export interface SandboxBackend {
	/** Turns a start and a view into a start that is kept in. */
	wrap(start: SandboxLaunch, view: SandboxPolicy): SandboxLaunch;
	/** A folder that may be written is surely the one that was looked at. */
	raceFree: boolean;
}

export interface BackendOptions {
	platform: NodeJS.Platform;
	architecture: string;
	/** A program outside the workspace. */
	find(name: string): Promise<string | undefined>;
}

/** Or a sentence for the person. */
export async function createBackend({ platform, architecture: processor, find }: BackendOptions): Promise<SandboxBackend | string> {
	if (platform === "darwin") return { wrap: wrapWithSeatbelt, raceFree: true };
	if (platform !== "linux") return t("No sandbox works here: there is none for this system.");
	const [program, bash] = await Promise.all([find("bwrap"), find("bash")]);
	if (program === undefined || bash === undefined)
		return t("No sandbox works here: bubblewrap is not installed. Install the package bubblewrap and reload the window.");
	const reads = createSystemCallFilter(processor, { debuggers: false, sockets: false });
	const works = createSystemCallFilter(processor, { debuggers: true, sockets: true });
	const alone = createSystemCallFilter(processor, { debuggers: true, sockets: false });
	if (!reads || !works || !alone) return t("No sandbox works here: there is none for this processor.");
	const known: Omit<BubblewrapOptions, "filter"> = { program, bash, options: await optionsOf(program) };
	return {
		wrap(start, view) {
			const working = view.blockUnixSockets ? alone : works;
			return wrapWithBubblewrap({ ...known, filter: view.workspaceWrite ? working : reads }, start, view);
		},
		raceFree: canBindDescriptors(known),
	};
}

async function optionsOf(program: string): Promise<ReadonlySet<string>> {
	const said = await captureOutput({ file: program, args: ["--help"], cwd: "/", env: {} }, { time: PATIENCE });
	const text = said ? Buffer.from(said.output).toString("latin1") : "";
	return new Set(text.match(/--[a-z][a-z-]*/g));
}

/** Milliseconds. */
const PATIENCE = 5_000;
