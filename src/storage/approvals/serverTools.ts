// Stores each approved MCP server's tools as last accepted, one file per server.

// The files are in the extension's own storage, where no workspace can write.

import { join } from "node:path";
import { isRecord } from "../../core/isRecord.ts";
import type { McpToolDefinition, McpToolDefinitions } from "../../core/ports/mcp.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { isNotFound, nodeFileSystem, parseJson, type StorageFileSystem } from "../fileSystem.ts";
import { createJsonStore, type JsonStore } from "../json/jsonStore.ts";

/** `server` is what its approval is kept under; `approved` the hash under which it may start: as another one it is met for the first time. */
export interface ServerTools {
	/** As `knownTools` of `core/ports/mcp.ts`. What cannot be read or kept is logged, and counts as never seen. */
	getKnownTools(server: string, approved: string, shown: McpToolDefinitions): Promise<McpToolDefinitions>;
	/** The person has accepted them as this. What cannot be kept is logged. */
	acceptTools(server: string, approved: string, tools: McpToolDefinitions): Promise<void>;
	/** Rejects with what the disk throws. */
	forget(server: string): Promise<void>;
	/** Drops those of all others. Rejects with what the disk throws. */
	retainOnly(servers: readonly string[]): Promise<void>;
}

/** Tools of one server that are kept, and characters of all their texts; of what is more only the hash is kept. */
const TOOLS = 2_000;
const TEXTS = 2 * 1024 * 1024;

/** `folder` is the extension's global storage. */
export function createServerTools(folder: string, options: { log?(line: string): void; files?: StorageFileSystem } = {}): ServerTools {
	const { files = nodeFileSystem, log = () => undefined } = options;
	const own = join(folder, "serverTools");
	const pathOf = (server: string): string => join(own, `${nameOf(server)}.json`);

	function storeOf(server: string): JsonStore<Kept | undefined> {
		const path = pathOf(server);
		return createJsonStore<Kept | undefined>({
			files,
			path,
			empty: undefined,
			parse(text) {
				const value = parseJson(text);
				return isKept(value) ? value : undefined;
			},
			print: (kept) => `${JSON.stringify(kept)}\n`,
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
			return { server, approved, tools: Object.fromEntries(fitting(tools)) };
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
			const found = await files.readdir(own).catch((cause: unknown): string[] => {
				if (isNotFound(cause)) return [];
				throw cause;
			});
			for (const file of found) if (!names.some((name) => file.includes(name))) await files.rm(join(own, file), { force: true });
		},
	};
}

/** An id is a person's word, and on some disks two of them would be one file. */
function nameOf(server: string): string {
	return sha256(server).slice(0, 32);
}

interface Kept {
	server: string;
	approved: string;
	tools: Record<string, McpToolDefinition>;
}

/** What was kept under another approval, or of another server, counts for nothing. */
function toolsOf(kept: Kept | undefined, server: string, approved: string): Map<string, McpToolDefinition> {
	return new Map(kept?.server === server && kept.approved === approved ? Object.entries(kept.tools) : []);
}

/** What is known stays as it is: a server cannot push it out with names that it makes up. */
function add(kept: Map<string, McpToolDefinition>, shown: McpToolDefinitions): void {
	for (const [tool, definition] of shown) {
		if (kept.size >= TOOLS) return;
		if (!kept.has(tool)) kept.set(tool, definition);
	}
}

function fitting(tools: McpToolDefinitions): [string, McpToolDefinition][] {
	let left = TEXTS;
	return [...tools].map(([tool, definition]) => {
		const { hash, description, inputSchema, annotations } = definition;
		left -= description.length + inputSchema.length + annotations.length;
		return [tool, left >= 0 ? definition : { hash, description: "", inputSchema: "", annotations: "" }];
	});
}

function isKept(value: unknown): value is Kept {
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
