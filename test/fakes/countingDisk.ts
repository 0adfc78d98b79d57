// Test fixture: counts what is asked of the disk through node:fs, and how often nothing was there.
import files from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const ASYNCHRONOUS = ["access", "lstat", "open", "opendir", "readdir", "readFile", "readlink", "realpath", "stat"] as const;
const SYNCHRONOUS = [
	...["accessSync", "existsSync", "lstatSync", "openSync", "opendirSync", "readdirSync", "readFileSync"],
	...["readlinkSync", "realpathSync", "statSync"],
] as const;

type Functions = Record<string, (path: unknown, ...rest: unknown[]) => unknown>;

export interface DiskQuestions {
	/** Function and path of each question. */
	asked: string[];
	/** Those whose answer was that nothing is there. */
	missing: string[];
	/** Ends the counting. */
	restore(): void;
}

/** Counts from now on; `counts` chooses by path. Only what imports node:fs by name or as a whole is seen, and not what a handle is asked. */
export function countDiskQuestions(counts: (path: string) => boolean): DiskQuestions {
	const asked: string[] = [];
	const missing: string[] = [];
	const originals: (() => void)[] = [];
	const replace = (module: Functions, name: string, wrap: (original: Functions[string]) => Functions[string]): void => {
		const original = module[name];
		if (!original) throw new Error(`node:fs has no ${name}`);
		module[name] = wrap(original);
		originals.push(() => {
			module[name] = original;
		});
	};
	const note = (name: string, path: unknown): string | undefined => {
		if (!counts(String(path))) return undefined;
		asked.push(`${name} ${path}`);
		return `${name} ${path}`;
	};
	const noteError = (question: string | undefined) => (error: NodeJS.ErrnoException) => {
		if (question !== undefined && error.code === "ENOENT") missing.push(question);
		throw error;
	};
	for (const name of ASYNCHRONOUS)
		replace(promises as unknown as Functions, name, (original) => (path, ...rest) => {
			const question = note(name, path);
			return (original(path, ...rest) as Promise<unknown>).catch(noteError(question));
		});
	for (const name of SYNCHRONOUS)
		replace(files as unknown as Functions, name, (original) => (path, ...rest) => {
			note(name, path);
			return original(path, ...rest);
		});
	syncBuiltinESMExports();
	return {
		asked,
		missing,
		restore() {
			for (const restore of originals) restore();
			syncBuiltinESMExports();
		},
	};
}
