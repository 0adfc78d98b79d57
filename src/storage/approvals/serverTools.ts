// Stores each approved MCP server's tools as last accepted, one file per server.

// Stored in the extension's own storage, where no workspace can write.

import { join } from "node:path";
import { isRecord } from "../../core/isRecord.ts";
import type { McpToolDefinition, McpToolDefinitions } from "../../core/ports/mcp.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { isNotFound, nodeFileSystem, parseJson, type StorageFileSystem } from "../fileSystem.ts";
import { createJsonStore, type JsonStore } from "../json/jsonStore.ts";

/** `server` is the key of its approval; `approved` the hash under which it may start. A new hash starts from scratch. */
export interface ServerTools {
	/** Works as `knownTools` in `core/ports/mcp.ts`. Tools that cannot be read or saved are logged and count as new. */
	getKnownTools(server: string, approved: string, shown: McpToolDefinitions): Promise<McpToolDefinitions>;
	/** Saves the definitions that the user has accepted. Failures are logged. */
	acceptTools(server: string, approved: string, tools: McpToolDefinitions): Promise<void>;
	/** Rejects with the file system's error. */
	forget(server: string): Promise<void>;
	/** Removes the tools of all other servers. Rejects with the file system's error. */
	retainOnly(servers: readonly string[]): Promise<void>;
}

/** Maximum tools per server, and maximum characters of all their texts; beyond that, only hashes are stored. */
const TOOLS = 2_000;
const TEXTS = 2 * 1024 * 1024;

/** `folder` is the extension's global storage. */
export function createServerTools(folder: string, options: { log?(line: string): void; files?: StorageFileSystem } = {}): ServerTools {
	const { files = nodeFileSystem, log = () => undefined } = options;
	const toolsFolder = join(folder, "serverTools");
	const pathOf = (server: string): string => join(toolsFolder, `${nameOf(server)}.json`);

	function storeOf(server: string): JsonStore<StoredTools | undefined> {
		const path = pathOf(server);
		return createJsonStore<StoredTools | undefined>({
			files,
			path,
			empty: undefined,
			parse(text) {
				const value = parseJson(text);
				return isStoredTools(value) ? value : undefined;
			},
			print: (stored) => `${JSON.stringify(stored)}\n`,
			onDamage: () => log(`${path} was damaged: what the MCP server ${server} showed before is not known, and its tools count as new.`),
		});
	}

	async function change(
		server: string,
		approved: string,
		next: (tools: Map<string, McpToolDefinition>) => void,
	): Promise<McpToolDefinitions> {
		let tools = new Map<string, McpToolDefinition>();
		await storeOf(server).update((before) => {
			tools = toolsOf(before, server, approved);
			next(tools);
			return { server, approved, tools: Object.fromEntries(limitTexts(tools)) };
		});
		return tools;
	}

	return {
		async getKnownTools(server, approved, shown) {
			try {
				const before = toolsOf(await storeOf(server).read(), server, approved);
				const unknown = [...shown].some(([tool]) => !before.has(tool)) && before.size < TOOLS;
				const tools = unknown ? await change(server, approved, (kept) => add(kept, shown)) : before;
				const left = [...shown.keys()].filter((tool) => !tools.has(tool));
				if (left.length > 0) {
					log(`MCP server ${server} has shown more than ${TOOLS} tools: ${left.length} of them stay off until its approval is taken back.`);
				}
				return tools;
			} catch (cause) {
				log(`What the tools of the MCP server ${server} are could not be kept, so a change would not be noticed later: ${String(cause)}`);
				return shown;
			}
		},
		async acceptTools(server, approved, accepted) {
			try {
				await change(server, approved, (kept) => {
					for (const [tool, definition] of accepted) kept.set(tool, definition);
				});
			} catch (cause) {
				log(`That changed tools of the MCP server ${server} were allowed could not be kept: ${String(cause)}`);
			}
		},
		async forget(server) {
			await files.rm(pathOf(server), { force: true });
		},
		async retainOnly(servers) {
			const names = servers.map(nameOf);
			const found = await files.readdir(toolsFolder).catch((cause: unknown): string[] => {
				if (isNotFound(cause)) return [];
				throw cause;
			});
			for (const file of found) if (!names.some((name) => file.includes(name))) await files.rm(join(toolsFolder, file), { force: true });
		},
	};
}

/** Hashed because ids are chosen by users, and two of them may be the same file name on some disks. */
function nameOf(server: string): string {
	return sha256(server).slice(0, 32);
}

interface StoredTools {
	server: string;
	approved: string;
	tools: Record<string, McpToolDefinition>;
}

/** Tools of another approval or server do not count. */
function toolsOf(stored: StoredTools | undefined, server: string, approved: string): Map<string, McpToolDefinition> {
	return new Map(stored?.server === server && stored.approved === approved ? Object.entries(stored.tools) : []);
}

/** Known tools are preserved, so that a server cannot displace them with made-up names. */
function add(kept: Map<string, McpToolDefinition>, shown: McpToolDefinitions): void {
	for (const [tool, definition] of shown) {
		if (kept.size >= TOOLS) return;
		if (!kept.has(tool)) kept.set(tool, definition);
	}
}

function limitTexts(tools: McpToolDefinitions): [string, McpToolDefinition][] {
	let left = TEXTS;
	return [...tools].map(([tool, definition]) => {
		const { hash, description, inputSchema, annotations } = definition;
		left -= description.length + inputSchema.length + annotations.length;
		return [tool, left >= 0 ? definition : { hash, description: "", inputSchema: "", annotations: "" }];
	});
}

function isStoredTools(value: unknown): value is StoredTools {
	return (
		isRecord(value) &&
		typeof value["server"] === "string" &&
		typeof value["approved"] === "string" &&
		isRecord(value["tools"]) &&
		Object.values(value["tools"]).every(isDefinition)
	);
}

function isDefinition(value: unknown): value is McpToolDefinition {
	return isRecord(value) && ["hash", "description", "inputSchema", "annotations"].every((field) => typeof value[field] === "string");
}
