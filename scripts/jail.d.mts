export interface InJail {
	/** Folders and files of the host that are seen read-only: at their own path, or `[host, inside]`. */
	binds?: readonly (string | readonly [string, string])[];
	env?: Readonly<Record<string, string>>;
	input?: string;
	/** Milliseconds. */
	time?: number;
}
/** Throws a sentence that says what to install where there is no jail and none can be had. */
export function ensureJail(options?: { say?: (text: string) => void }): Promise<void>;
/** Runs a program inside; resolves with what it printed on standard output. */
export function inJail(words: readonly string[], options?: InJail): Promise<string>;
/** The program that runs this, and how the jail sees it. */
export function nodeInside(): { path: string; binds: [string, string][] };
/** Where everything inside happens. */
export const INSIDE: string;
