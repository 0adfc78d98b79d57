// Approvals that last, in the extension's own storage and nowhere a workspace could write them.
import { join } from "node:path";
import type { Grant } from "../core/gate.ts";
import { t } from "../l10n.ts";
import { exclusively } from "./exclusive.ts";
import { type Files, FOLDER_MODE, isMissing, isRecord, nodeFiles, parseJson, readText, writeAtomically } from "./files.ts";
import { createHealth, type HealthSource } from "./health.ts";
import { unchanged } from "./problems.ts";

export interface GrantStore extends HealthSource {
	/** An agent's grants; every agent's when none is named. None when the file cannot be read. */
	list(agent?: string): Promise<Grant[]>;
	/** Keeps a grant; one for the same agent, tool, class and workspace is replaced. Rejects with StorageError. */
	add(grant: Grant): Promise<void>;
	/** Takes a grant back. Rejects with StorageError; the grant then still counts. */
	revoke(grant: Pick<Grant, "agent" | "tool" | "class" | "workspace">): Promise<void>;
}

/** `folder` is the extension's global storage. */
export function createGrantStore(folder: string, options: { log?(line: string): void; files?: Files } = {}): GrantStore {
	const { files = nodeFiles, log = () => undefined } = options;
	const path = join(folder, "grants.json");
	const health = createHealth(log);
	let cache: { mark: string; grants: Grant[] } | undefined;

	/** Throws what the disk throws. */
	async function current(): Promise<Grant[]> {
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

	async function setAside(): Promise<Grant[]> {
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

	async function change(what: string, next: (grants: readonly Grant[]) => Grant[]): Promise<void> {
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
		async list(agent) {
			try {
				const grants = await current();
				return grants.filter((grant) => agent === undefined || grant.agent === agent).map((grant) => ({ ...grant }));
			} catch (cause) {
				health.set("grants", unchanged(cause, t("read the standing approvals, so none of them counts")).message);
				return [];
			}
		},
		add: (grant) => change(t("keep the approval"), (grants) => [...grants.filter((other) => !same(other, grant)), grant]),
		revoke: (grant) => change(t("take the approval back"), (grants) => grants.filter((other) => !same(other, grant))),
	};
}

function same(a: Pick<Grant, "agent" | "tool" | "class" | "workspace">, b: typeof a): boolean {
	return a.agent === b.agent && a.tool === b.tool && a.class === b.class && a.workspace === b.workspace;
}

function parseGrants(text: string): Grant[] | undefined {
	const value = parseJson(text);
	return Array.isArray(value) && value.every(isGrant) ? value : undefined;
}

function isGrant(value: unknown): value is Grant {
	if (!isRecord(value)) return false;
	const { agent, tool, class: covered, workspace, at, scriptsHash } = value;
	const whole = [agent, tool, covered, workspace, at].every((field) => typeof field === "string");
	return whole && (scriptsHash === undefined || typeof scriptsHash === "string");
}
