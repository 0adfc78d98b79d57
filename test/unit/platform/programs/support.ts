// A home folder with a workspace in it, programs to lay about, and a PATH that holds for one test.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createPrograms, type Programs, type ProgramsOptions } from "../../../../src/platform/programs/programs.ts";

export interface Home {
	/** Links resolved. */
	path: string;
	/** `~/work`, the workspace folder unless another is named. */
	work: string;
	/** Lays a program that prints `says`, and returns its folder. */
	lay(path: string, says?: string): string;
	put(path: string, text: string): string;
	programs(folders?: readonly string[], more?: Partial<ProgramsOptions>): Programs;
	/** For the rest of the test. */
	set(variables: Record<string, string | undefined>): void;
	dispose(): void;
}

export function home(): Home {
	const path = realpathSync(mkdtempSync(join(tmpdir(), "home-")));
	const work = join(path, "work");
	mkdirSync(work);
	const before = { ...process.env };
	const set = (variables: Record<string, string | undefined>): void => {
		for (const [name, value] of Object.entries(variables)) {
			if (value === undefined) delete process.env[name];
			else process.env[name] = value;
		}
	};
	const put = (file: string, text: string): string => {
		mkdirSync(dirname(join(path, file)), { recursive: true });
		writeFileSync(join(path, file), text);
		return join(path, file);
	};
	set({ HOME: path });
	return {
		path,
		work,
		put,
		set,
		lay(file, says = file) {
			chmodSync(put(file, `#!/bin/sh\necho '${says}'\n`), 0o755);
			return dirname(join(path, file));
		},
		programs: (folders = [work], more = {}) =>
			createPrograms({
				folders: () => folders.map((folder) => ({ name: folder, path: folder })),
				extraVariables: () => [],
				findRipgrep: (find) => find("rg"),
				...more,
			}),
		dispose() {
			for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
			Object.assign(process.env, before);
			rmSync(path, { recursive: true, force: true });
		},
	};
}

/** The PATH of a kind of start, as a list. */
export async function entriesOf(programs: Programs, kind: "reading" | "approved" | "server" | "own" = "reading"): Promise<string[]> {
	return ((await programs.environment(kind))["PATH"] ?? "").split(":");
}
