// Approvals that last, in the extension's own storage and nowhere a workspace could write them.
import { join } from "node:path";
import type { GrantRecord, GrantRecords } from "../core/grants.ts";
import { t } from "../l10n.ts";
import { exclusively } from "./exclusive.ts";
import { type Files, FOLDER_MODE, isMissing, isRecord, nodeFiles, parseJson, readText, writeAtomically } from "./files.ts";
import { createHealth, type HealthSource } from "./health.ts";
import { unchanged } from "./problems.ts";

export type GrantStore = GrantRecords & HealthSource;

/** `folder` is the extension's global storage. */
export function createGrantStore(folder: string, options: { log?(line: string): void; files?: Files } = {}): GrantStore {
	const { files = nodeFiles, log = () => undefined } = options;
	const path = join(folder, "grants.json");
	const health = createHealth(log);
	let cache: { mark: string; grants: GrantRecord[] } | undefined;

	/** Throws what the disk throws. */
	async function current(): Promise<GrantRecord[]> {
		const stat = await files.stat(path).catch((cause: unknown) => {
			if (isMissing(cause)) return undefined;
			throw cause;
		});
		if (!stat) return [];
		const mark = `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
		if (cache?.mark === mark) return cache.grants;
		const grants = parseGrants((await readText(files, path)) ?? "[]");
		if (!grants) return setAside();
		cache = { mark, grants };
		return grants;
	}

	async function setAside(): Promise<GrantRecord[]> {
		await files.rename(path, `${path}.corrupt`).catch((cause: unknown) => {
			if (!isMissing(cause)) throw cause;
		});
		health.set(
			"grants",
			t(
				"The list of standing approvals was damaged and none of them counts. It is kept as {0}.corrupt; approve again what you need.",
				path,
			),
		);
		return [];
	}

	async function change(what: string, next: (grants: readonly GrantRecord[]) => GrantRecord[]): Promise<void> {
		try {
			await files.mkdir(folder, { recursive: true, mode: FOLDER_MODE });
			await exclusively(files, `${path}.lock`, async () => {
				cache = undefined;
				await writeAtomically(files, path, `${JSON.stringify(next(await current()), undefined, "\t")}\n`);
			});
			health.set("grants", undefined);
		} catch (cause) {
			throw unchanged(cause, what);
		}
	}

	return {
		onHealth: health.onHealth,
		change,
		async read() {
			try {
				const grants = await current();
				return { grants, whole: !(await exists(`${path}.corrupt`)) };
			} catch (cause) {
				health.set("grants", unchanged(cause, t("read the standing approvals, so none of them counts")).message);
				return { grants: [], whole: false };
			}
		},
	};

	/** As long as what was damaged lies there, nobody knows what it covered. */
	async function exists(name: string): Promise<boolean> {
		return files.stat(name).then(
			() => true,
			(cause: unknown) => !isMissing(cause),
		);
	}
}

function parseGrants(text: string): GrantRecord[] | undefined {
	const value = parseJson(text);
	return Array.isArray(value) && value.every(isGrant) ? value : undefined;
}

function isGrant(value: unknown): value is GrantRecord {
	if (!isRecord(value)) return false;
	const texts = ["agent", "tool", "class", "workspace", "at"].every((field) => typeof value[field] === "string");
	const may = (type: string, fields: string[]) => fields.every((field) => value[field] === undefined || typeof value[field] === type);
	const { bound } = value;
	const names = bound === undefined || (Array.isArray(bound) && bound.every((name) => typeof name === "string"));
	return (
		texts && names && may("string", ["scriptsHash", "definition", "place"]) && may("boolean", ["external", "line", "listed", "written"])
	);
}
