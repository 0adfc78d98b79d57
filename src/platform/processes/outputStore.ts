// Private temporary folder for large output, created for each extension host and removed with it.
import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { CommandOutput } from "./commandOutput.ts";

export interface OutputStore {
	/** A file for the output of a command; `id` is one that we made. */
	openOutput(id: string): Promise<CommandOutput>;
	/** A small file for a program to read while `use` runs. */
	withTextFile<T>(text: string, use: (path: string) => Promise<T>): Promise<T>;
	/** A folder for files that are there while `use` runs. */
	withTemporaryFolder<T>(use: (path: string) => Promise<T>): Promise<T>;
	remove(): Promise<void>;
}

export function createOutputStore(parent: string): OutputStore {
	let folder: Promise<string> | undefined;

	function ready(): Promise<string> {
		folder ??= newFolder(parent).catch((error: unknown) => {
			folder = undefined;
			throw error;
		});
		return folder;
	}

	return {
		async openOutput(id) {
			return CommandOutput.open(id, join(await ready(), `${id}.out`));
		},
		async withTextFile(text, use) {
			const path = join(await ready(), `t-${randomBytes(8).toString("hex")}`);
			await writeFile(path, text, { flag: "wx", mode: 0o600 });
			try {
				return await use(path);
			} finally {
				await rm(path, { force: true });
			}
		},
		async withTemporaryFolder(use) {
			const path = await mkdtemp(join(await ready(), "f-"));
			try {
				return await use(path);
			} finally {
				await rm(path, { recursive: true, force: true });
			}
		},
		async remove() {
			const made = await folder?.catch(() => undefined);
			if (made !== undefined) await rm(made, { recursive: true, force: true });
		},
	};
}

/** Also clears away what hosts left that ended without warning. */
async function newFolder(parent: string): Promise<string> {
	await mkdir(parent, { recursive: true, mode: 0o700 });
	for (const name of await readdir(parent)) {
		const [, pid] = /^run-(\d+)-/.exec(name) ?? [];
		if (pid !== undefined && !isAlive(Number(pid))) await rm(join(parent, name), { recursive: true, force: true });
	}
	return mkdtemp(join(parent, `run-${process.pid}-`));
}

function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return error instanceof Error && "code" in error && error.code === "EPERM";
	}
}
