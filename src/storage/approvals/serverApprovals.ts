// Stores MCP server approvals and read-only marks of their tools, for all workspaces.

// Stored in the extension's own storage, where no workspace can write.

import { join } from "node:path";
import { isRecord } from "../../core/isRecord.ts";
import { t } from "../../shared/l10n.ts";
import { nodeFileSystem, parseJson, type StorageFileSystem } from "../fileSystem.ts";
import { createJsonStore } from "../json/jsonStore.ts";
import { createHealth, type HealthSource, toReadError, toStorageError } from "../storageErrors.ts";
import { createServerTools, type ServerTools } from "./serverTools.ts";

/** The record of one server. Each hash covers everything that defines the server (`core/mcp.ts`). */
interface ServerRecord {
	/** The hash under which it may start. */
	approved?: string;
	/** Lines that describe what was approved, to show later changes. They contain no secrets. */
	shown?: readonly string[];
	/** Hashes under which it must never start; no approval is requested for them. */
	never: readonly string[];
	/** Hash of the definition that is marked as read-only, by tool. */
	readOnly: Readonly<Record<string, string>>;
}

/**
 * `server` is a server's id or, if what it runs depends on the workspace, the id, a space and the workspace folder, so that each
 * workspace has its own approval. Read-only marks are stored by id.
 */
export interface ServerApprovals extends HealthSource {
	/** Each server's tools as last accepted; reset when an approval is given or revoked. */
	readonly tools: Pick<ServerTools, "getKnownTools" | "acceptTools">;
	/** Resolves to undefined if there is none, or if the file cannot be read: then nothing applies. */
	approvedHash(server: string): Promise<string | undefined>;
	/** The lines the user saw when last approving it. */
	lastApprovedLines(server: string): Promise<readonly string[] | undefined>;
	isRefused(server: string, hash: string): Promise<boolean>;
	/** Rejects with StorageError; it is then not approved. */
	approve(server: string, hash: string, shown: readonly string[]): Promise<void>;
	refuse(server: string, hash: string): Promise<void>;
	/** Removes the server's decisions in every workspace, and its marks. */
	forget(server: string): Promise<void>;
	/** Removes all other servers, so that they require approval if they return. Failures are logged. */
	retainOnly(servers: readonly string[]): Promise<void>;
	/** Does not read the disk: uses the state of the last `refresh`, change or query. */
	isReadOnly(server: string, tool: string, hash: string): boolean;
	/** The hash under which a tool was marked, even if it is outdated. */
	readOnlyHash(server: string, tool: string): string | undefined;
	/** Replaces the marks of that server's `tools`; other marks are preserved. */
	setReadOnlyTools(server: string, tools: readonly string[], readOnly: Readonly<Record<string, string>>): Promise<void>;
	/** Reads changes made by other windows. */
	refresh(): Promise<void>;
}

const NOTHING: ServerRecord = { never: [], readOnly: {} };
/** Maximum number of refusals stored per server; the oldest are dropped. */
const MOST_REFUSALS = 50;

/** `folder` is the extension's global storage. */
export function createServerApprovals(
	folder: string,
	options: { log?(line: string): void; files?: StorageFileSystem } = {},
): ServerApprovals {
	const { files = nodeFileSystem, log = () => undefined } = options;
	const path = join(folder, "servers.json");
	const tools = createServerTools(folder, options);
	const health = createHealth(log);
	const store = createJsonStore<ReadonlyMap<string, ServerRecord>>({
		files,
		path,
		empty: new Map(),
		parse,
		print: (servers) => `${JSON.stringify(Object.fromEntries(servers), undefined, "\t")}\n`,
		cached: true,
		onDamage: () =>
			health.report(
				"servers",
				t(
					"The list of approved servers is corrupted, so no server is approved. The file was saved as {0}.corrupt. Approve each server again when it starts.",
					path,
				),
			),
	});
	/** The last state read or written; undefined if nothing may apply. */
	let latest: ReadonlyMap<string, ServerRecord> | undefined;

	function change(failed: string, server: string, next: (record: ServerRecord) => ServerRecord): Promise<void> {
		return changeAll(failed, (servers) => void servers.set(server, next(servers.get(server) ?? NOTHING)));
	}

	async function changeAll(failed: string, next: (servers: Map<string, ServerRecord>) => void): Promise<void> {
		try {
			latest = await store.update((before) => {
				const servers = new Map(before);
				next(servers);
				return servers;
			}, failed);
			health.report("servers", undefined);
		} catch (cause) {
			latest = await store.read().catch(() => undefined);
			throw cause;
		}
	}

	async function readRecord(server: string): Promise<ServerRecord> {
		try {
			latest = await store.read();
			return latest.get(server) ?? NOTHING;
		} catch (cause) {
			latest = undefined;
			health.report("servers", toReadError(cause, t("Could not read the list of approved servers, so no server is approved.")).message);
			return NOTHING;
		}
	}

	return {
		onHealth: health.onHealth,
		approvedHash: async (server) => (await readRecord(server)).approved,
		lastApprovedLines: async (server) => (await readRecord(server)).shown,
		isRefused: async (server, hash) => (await readRecord(server)).never.includes(hash),
		tools,
		async approve(server, hash, shown) {
			await tools.forget(server).catch((cause: unknown) => {
				throw toStorageError(cause, t("Could not save the approval."));
			});
			await change(t("Could not save the approval."), server, ({ never, readOnly }) => ({
				approved: hash,
				shown,
				never: never.filter((other) => other !== hash),
				readOnly,
			}));
		},
		refuse: (server, hash) =>
			change(t("Could not save your decision not to start the server."), server, (before) => {
				const never = [...before.never.filter((other) => other !== hash), hash].slice(-MOST_REFUSALS);
				const { approved: _, ...rest } = before;
				return before.approved === hash ? { ...rest, never } : { ...before, never };
			}),
		forget: (server) =>
			changeAll(t("Could not revoke the approval."), (servers) => {
				for (const key of [...servers.keys()]) if (idOf(key) === server) servers.delete(key);
			}),
		async retainOnly(servers) {
			const others = (kept: ReadonlyMap<string, ServerRecord>): string[] => [...kept.keys()].filter((key) => !servers.includes(idOf(key)));
			try {
				if (others(await store.read()).length > 0) {
					await changeAll("forget servers that are gone", (kept) => {
						for (const key of others(kept)) kept.delete(key);
					});
				}
				await tools.retainOnly([...(await store.read()).keys()]);
			} catch (cause) {
				log(`What was said to MCP servers that are gone is still there: ${String(cause)}`);
			}
		},
		isReadOnly: (server, tool, hash) => ownValue(latest?.get(server)?.readOnly, tool) === hash,
		readOnlyHash: (server, tool) => ownValue(latest?.get(server)?.readOnly, tool),
		setReadOnlyTools: (server, tools, readOnly) =>
			change(t("Could not save the read-only marks."), server, (before) => {
				const others = Object.entries(before.readOnly).filter(([tool]) => !tools.includes(tool));
				return { ...before, readOnly: Object.fromEntries([...others, ...Object.entries(readOnly)]) };
			}),
		async refresh() {
			await readRecord("");
		},
	};
}

/** An id contains no spaces. */
function idOf(server: string): string {
	return server.split(" ", 1)[0] as string;
}

/** Tool names come from servers, so an inherited property such as `constructor` must not count as a mark. */
function ownValue(record: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
	return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

function parse(text: string): ReadonlyMap<string, ServerRecord> | undefined {
	const value = parseJson(text);
	if (!isRecord(value) || !Object.values(value).every(isServerRecord)) return undefined;
	return new Map(Object.entries(value) as [string, ServerRecord][]);
}

function isServerRecord(value: unknown): value is ServerRecord {
	if (!isRecord(value)) return false;
	const { approved, shown, never, readOnly } = value;
	return (
		(approved === undefined || typeof approved === "string") &&
		(shown === undefined || isTexts(shown)) &&
		isTexts(never) &&
		isRecord(readOnly) &&
		Object.values(readOnly).every((hash) => typeof hash === "string")
	);
}

function isTexts(value: unknown): value is string[] {
	return Array.isArray(value) && value.every((text) => typeof text === "string");
}
