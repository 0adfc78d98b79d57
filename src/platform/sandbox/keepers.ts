// The means of this system to keep a program in; or why there is none.
import { t } from "../../shared/l10n.ts";
import { ask } from "../programs/ask.ts";
import { type Bubblewrap, bindsOpen, bubblewrapped } from "./bubblewrap.ts";
import { seatbelted } from "./seatbelt.ts";
import { systemCallFilter } from "./seccomp.ts";
import type { Start } from "./start.ts";
import type { View } from "./view.ts";

export interface Keeper {
	/** Turns a start and a view into a start that is kept in. */
	keep(start: Start, view: View): Start;
	/** A folder that may be written is surely the one that was looked at. */
	exact: boolean;
}

export interface Means {
	platform: NodeJS.Platform;
	processor: string;
	/** A program outside the workspace. */
	find(name: string): Promise<string | undefined>;
}

/** Or a sentence for the person. */
export async function keeperFor({ platform, processor, find }: Means): Promise<Keeper | string> {
	if (platform === "darwin") return { keep: seatbelted, exact: true };
	if (platform !== "linux") return t("No sandbox works here: there is none for this system.");
	const [program, bash] = await Promise.all([find("bwrap"), find("bash")]);
	if (program === undefined || bash === undefined)
		return t("No sandbox works here: bubblewrap is not installed. Install the package bubblewrap and reload the window.");
	const reads = systemCallFilter(processor, { debuggers: false, sockets: false });
	const works = systemCallFilter(processor, { debuggers: true, sockets: true });
	const alone = systemCallFilter(processor, { debuggers: true, sockets: false });
	if (!reads || !works || !alone) return t("No sandbox works here: there is none for this processor.");
	const known: Omit<Bubblewrap, "filter"> = { program, bash, options: await optionsOf(program) };
	return {
		keep(start, view) {
			const working = view.withoutSockets ? alone : works;
			return bubblewrapped({ ...known, filter: view.works ? working : reads }, start, view);
		},
		exact: bindsOpen(known),
	};
}

async function optionsOf(program: string): Promise<ReadonlySet<string>> {
	const said = await ask({ file: program, args: ["--help"], cwd: "/", env: {} }, { time: PATIENCE });
	const text = said ? Buffer.from(said.output).toString("latin1") : "";
	return new Set(text.match(/--[a-z][a-z-]*/g));
}

/** Milliseconds. */
const PATIENCE = 5_000;
