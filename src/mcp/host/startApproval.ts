// Decides whether an MCP server may start, by the stored answer for its hash or by asking.
import { realpath } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { relativePathWithin } from "../../core/paths.ts";
import type { McpDialogs, McpServerConfig, McpServerSummary } from "../../core/ports/mcp.ts";
import { describeForLog } from "../../shared/reasonOf.ts";
import { approvalKey, hashServer } from "../canonicalJson.ts";
import { createRequestSharing } from "../deadlines.ts";
import { referencedSecrets } from "../settings.ts";

/** Stored answers on whether a server may start, by its hash. */
export interface StartRecords {
	lastApprovedLines(server: string): Promise<readonly string[] | undefined>;
	isRefused(server: string, hash: string): Promise<boolean>;
	/** Rejects if it cannot be stored; the server is then not approved. */
	approve(server: string, hash: string, shown: readonly string[]): Promise<void>;
	refuse(server: string, hash: string): Promise<void>;
}

interface StartApprovalOptions {
	servers(): readonly McpServerConfig[];
	approvals: StartRecords;
	dialogs: Pick<McpDialogs, "confirmStart" | "launchLines">;
	restricted(): string | undefined;
	/** Working directory for programs that specify none. */
	home(): string;
	/** Workspace folders. */
	folders(): readonly string[];
	log(line: string): void;
}

/**
 * Returns a function that resolves to true if the server may start; concurrent turns share one question. It never rejects: errors count as
 * a refusal.
 */
export function createStartApproval(options: StartApprovalOptions): (summary: Pick<McpServerSummary, "id" | "hash">) => Promise<boolean> {
	const once = createRequestSharing<boolean>();
	return ({ id, hash }) =>
		once(`${id} ${hash}`, () =>
			ask(options, id, hash).catch((error: unknown) => {
				options.log(`MCP server ${id} does not start: ${describeForLog(error)}`);
				return false;
			}),
		);
}

async function ask(options: StartApprovalOptions, id: string, hash: string): Promise<boolean> {
	const { servers, approvals, restricted, dialogs, home, folders } = options;
	const setUp = (): McpServerConfig | undefined => servers().find((config) => config.id === id && hashServer(config) === hash);
	// Only the currently configured server is shown, and the approval is for what was shown.
	const config = setUp();
	if (restricted() !== undefined || !config) return false;
	const key = approvalKey(config);
	if (await approvals.isRefused(key, hash)) return false;
	const before = await approvals.lastApprovedLines(key);
	const inWorkspace = await runsWorkspace(config, folders());
	const answer = await dialogs.confirmStart({
		config,
		approvedLines: before,
		secretNames: referencedSecrets(config),
		defaultFolder: home(),
		runsWorkspaceFiles: inWorkspace,
	});
	if (answer === "never") await approvals.refuse(key, hash);
	if (answer !== "start") return false;
	await approvals.approve(key, hash, dialogs.launchLines(config));
	return setUp() !== undefined && restricted() === undefined;
}

/** Returns true if the program, its folder or an argument is in the workspace, whose files then decide what runs. */
async function runsWorkspace(config: McpServerConfig, folders: readonly string[]): Promise<boolean> {
	if ("url" in config) return false;
	if (config.workspace !== undefined) return true;
	const named = [config.command, config.cwd ?? "", ...(config.args ?? [])].filter(isAbsolute);
	const real = (path: string): Promise<string> => realpath(path).catch(() => path);
	const places = [...named, ...(await Promise.all(named.map(real)))];
	const roots = [...folders, ...(await Promise.all(folders.map(real)))];
	return places.some((path) => roots.some((root) => relativePathWithin(root, path) !== undefined));
}
