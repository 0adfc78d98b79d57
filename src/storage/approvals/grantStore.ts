// Stores lasting approvals in the extension's own storage, where no workspace can write.

import { join } from "node:path";
import type { GrantRecord, GrantRecordStore } from "../../core/grant.ts";
import { isRecord } from "../../core/isRecord.ts";
import { t } from "../../shared/l10n.ts";
import { isNotFound, nodeFileSystem, parseJson, type StorageFileSystem } from "../fileSystem.ts";
import { createJsonStore } from "../json/jsonStore.ts";
import { createHealth, type HealthSource, toReadError } from "../storageErrors.ts";

export type GrantStore = GrantRecordStore & HealthSource;

const NONE: GrantFile = { grants: [], unreadable: [] };

/** `folder` is the extension's global storage. */
export function createGrantStore(folder: string, options: { log?(line: string): void; files?: StorageFileSystem } = {}): GrantStore {
	const { files = nodeFileSystem, log = () => undefined } = options;
	const path = join(folder, "grants.json");
	const health = createHealth(log);
	const store = createJsonStore({
		files,
		path,
		empty: NONE,
		parse: parseGrantFile,
		print: printGrantFile,
		encoding: "latin1",
		cached: true,
		onDamage: () =>
			health.report(
				"grants",
				t(
					"Your saved approvals are corrupted and no longer apply. The file was saved as {0}.corrupt. Approve requests again as needed.",
					path,
				),
			),
	});

	async function rewrite(failed: string, next: (file: GrantFile) => GrantFile): Promise<void> {
		await store.update(next, failed);
		health.report("grants", undefined);
	}

	return {
		onHealth: health.onHealth,
		change: (failed, next) => rewrite(failed, ({ grants, unreadable }) => ({ grants: next(grants), unreadable })),
		discard: (failed, record) =>
			rewrite(failed, ({ grants, unreadable }) => ({ grants, unreadable: unreadable.filter((other) => other !== record) })),
		async read() {
			try {
				const { grants, unreadable } = await store.read();
				return { grants, unreadable, isWhole: async () => unreadable.length === 0 && !(await exists(`${path}.corrupt`)) };
			} catch (cause) {
				health.report("grants", toReadError(cause, t("Could not read your saved approvals, so none of them apply.")).message);
				return { ...NONE, isWhole: async () => false };
			}
		},
	};

	/** Resolves to true if a damaged file was set aside; while it exists, what it covered is unknown. */
	async function exists(name: string): Promise<boolean> {
		return files.stat(name).then(
			() => true,
			(cause: unknown) => !isNotFound(cause),
		);
	}
}

interface GrantFile {
	grants: readonly GrantRecord[];
	/** Unreadable records, as Latin-1 strings with one character per byte. */
	unreadable: readonly string[];
}

/** Parses a Latin-1 string; undefined if it is not a list at all. */
function parseGrantFile(text: string): GrantFile | undefined {
	const whole = text.replace(MARK, "").replace(EDGES, "");
	if (!whole.startsWith("[")) return undefined;
	const grants: GrantRecord[] = [];
	const unreadable: string[] = [];
	for (const element of elementsOf(whole.slice(1, whole.length > 1 && whole.endsWith("]") ? -1 : undefined))) {
		const value = parseJson(Buffer.from(element, "latin1").toString());
		if (isGrant(value)) grants.push(value);
		else unreadable.push(element);
	}
	return { grants, unreadable };
}

function printGrantFile({ grants, unreadable }: GrantFile): string {
	const known = grants.map((grant) => Buffer.from(JSON.stringify(grant, undefined, "\t").replaceAll("\n", "\n\t")).toString("latin1"));
	const records = [...known, ...unreadable];
	return records.length === 0 ? "[]\n" : `[\n${records.map((record) => `\t${record}`).join(",\n")}\n]\n`;
}

/** The byte order mark. */
const MARK = /^\xEF\xBB\xBF/;
/** JSON whitespace at either end. */
const EDGES = /^[ \t\r\n]+|[ \t\r\n]+$/g;

/** The elements between the list's commas. A string ends with its line because JSON has no multiline strings. */
function elementsOf(list: string): string[] {
	const elements: string[] = [];
	let [start, depth, inText] = [0, 0, false];
	const end = (at: number): void => {
		const element = list.slice(start, at).replace(EDGES, "");
		if (element !== "") elements.push(element);
		start = at + 1;
	};
	for (let at = 0; at < list.length; at += 1) {
		const letter = list[at] as string;
		if (inText && letter === "\\") at += 1;
		else if (inText) inText = letter !== '"' && letter !== "\n";
		else if (letter === '"') inText = true;
		else if (letter === "{" || letter === "[") depth += 1;
		else if (letter === "}" || letter === "]") depth = Math.max(0, depth - 1);
		else if (letter === "," && depth === 0) end(at);
	}
	end(list.length);
	return elements;
}

const TEXTS = ["agent", "tool", "class", "workspace", "at"];
const MAYBE_TEXTS = ["scriptsHash", "definition", "place"];
const MAYBE_FLAGS = ["external", "line", "listed", "written"];

function isGrant(value: unknown): value is GrantRecord {
	if (!isRecord(value)) return false;
	const may = (type: string, fields: readonly string[]) =>
		fields.every((field) => value[field] === undefined || typeof value[field] === type);
	const { bound } = value;
	const names = bound === undefined || (Array.isArray(bound) && bound.every((name) => typeof name === "string"));
	return names && TEXTS.every((field) => typeof value[field] === "string") && may("string", MAYBE_TEXTS) && may("boolean", MAYBE_FLAGS);
}
