// Stores MCP server approvals and read-only marks of their tools, for all workspaces.

// They are kept in the extension's own storage, where no workspace can write.

import { join } from "node:path";
import { isRecord } from "../../core/isRecord.ts";
import { t } from "../../shared/l10n.ts";
import { nodeFileSystem, parseJson, type StorageFileSystem } from "../fileSystem.ts";
import { createJsonStore } from "../json/jsonStore.ts";
import { createHealth, type HealthSource, toReadError, toStorageError } from "../storageErrors.ts";
import { createServerTools, type ServerTools } from "./serverTools.ts";

/** One server. Every hash is of all that decides what it is (`core/mcp.ts`). */
interface Said {
	/** It may start as this. */
	approved?: string;
	/** Lines that say what was approved, to tell what has changed since. No secret is in them. */
	shown?: readonly string[];
	/** It is never to start as one of these, and nobody is asked again. */
	never: readonly string[];
	/** Tool → hash of the definition that only reads. */
	readOnly: Readonly<Record<string, string>>;
}

/**
 * `server` is a server's id or, where what it runs depends on the workspace, the id, a blank and the workspace's folder: each
 * workspace has an approval of its own. Marks are of the id.
 */
export interface ServerApprovals extends HealthSource {
	/** What their tools were when they were accepted; gone with the approval, or when another one is given. */
	readonly tools: Pick<ServerTools, "getKnownTools" | "acceptTools">;
	/** Undefined where there is none, or where the file cannot be read: then nothing counts. */
	approvedHash(server: string): Promise<string | undefined>;
	/** What the person saw when they last approved it. */
	lastApprovedLines(server: string): Promise<readonly string[] | undefined>;
	isRefused(server: string, hash: string): Promise<boolean>;
	/** Rejects with StorageError; it is then not approved. */
	approve(server: string, hash: string, shown: readonly string[]): Promise<void>;
	refuse(server: string, hash: string): Promise<void>;
	/** Takes back what was said to its start in every workspace, and its marks. */
	forget(server: string): Promise<void>;
	/** Forgets servers that are not among these ids: when one comes back it is asked about as a new one. What fails is logged. */
	retainOnly(servers: readonly string[]): Promise<void>;
	/** Without a look at the disk: as of the last `refresh`, change or question. */
	isReadOnly(server: string, tool: string, hash: string): boolean;
	/** The hash under which a tool was marked, current or not. */
	readOnlyHash(server: string, tool: string): string | undefined;
	/** Replaces the marks of that server's `tools`; marks of others stay. */
	setReadOnlyTools(server: string, tools: readonly string[], readOnly: Readonly<Record<string, string>>): Promise<void>;
	/** Reads what other windows have changed. */
	refresh(): Promise<void>;
}

const NOTHING: Said = { never: [], readOnly: {} };
/** Refusals of one server that are kept; the oldest go. */
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
	const store = createJsonStore<ReadonlyMap<string, Said>>({
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
	/** As it was last read or written; undefined where nothing may count. */
	let latest: ReadonlyMap<string, Said> | undefined;

	function change(failed: string, server: string, next: (said: Said) => Said): Promise<void> {
		return changeAll(failed, (servers) => void servers.set(server, next(servers.get(server) ?? NOTHING)));
	}

	async function changeAll(failed: string, next: (servers: Map<string, Said>) => void): Promise<void> {
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

	async function said(server: string): Promise<Said> {
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
		approvedHash: async (server) => (await said(server)).approved,
		lastApprovedLines: async (server) => (await said(server)).shown,
		isRefused: async (server, hash) => (await said(server)).never.includes(hash),
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
			const others = (kept: ReadonlyMap<string, Said>): string[] => [...kept.keys()].filter((key) => !servers.includes(idOf(key)));
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
			await said("");
		},
	};
}

/** No id has a blank in it. */
function idOf(server: string): string {
	return server.split(" ", 1)[0] as string;
}

/** A tool's name comes from its server: `constructor` is no mark. */
function ownValue(record: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
	return record && Object.hasOwn(record, key) ? record[key] : undefined;
}

function parse(text: string): ReadonlyMap<string, Said> | undefined {
	const value = parseJson(text);
	if (!isRecord(value) || !Object.values(value).every(isSaid)) return undefined;
	return new Map(Object.entries(value) as [string, Said][]);
}

function isSaid(value: unknown): value is Said {
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
