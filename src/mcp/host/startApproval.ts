// Decides if an MCP server may start, from the stored answer for its hash or by asking.
import { realpath } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { relativePathWithin } from "../../core/paths.ts";
import type { McpDialogs, McpServerConfig, McpServerSummary } from "../../core/ports/mcp.ts";
import { approvalKey, hashServer } from "../canonicalJson.ts";
import { createRequestSharing } from "../deadlines.ts";
import { referencedSecrets } from "../settings.ts";

/** Answers to the question whether a server may start, kept by what it is. */
export interface StartRecords {
	lastApprovedLines(server: string): Promise<readonly string[] | undefined>;
	isRefused(server: string, hash: string): Promise<boolean>;
	/** Rejects where it cannot be kept; it is then not approved. */
	approve(server: string, hash: string, shown: readonly string[]): Promise<void>;
	refuse(server: string, hash: string): Promise<void>;
}

interface StartApprovalOptions {
	servers(): readonly McpServerConfig[];
	approvals: StartRecords;
	dialogs: Pick<McpDialogs, "confirmStart" | "launchLines">;
	restricted(): string | undefined;
	/** Where programs run that name no folder. */
	home(): string;
	/** Folders of the workspace. */
	folders(): readonly string[];
	log(line: string): void;
}

/** Resolves with whether it may start; several turns that want it wait for the one answer. Never rejects: what cannot be kept is a no. */
export function createStartApproval(options: StartApprovalOptions): (summary: Pick<McpServerSummary, "id" | "hash">) => Promise<boolean> {
	const once = createRequestSharing<boolean>();
	return ({ id, hash }) =>
		once(`${id} ${hash}`, () =>
			ask(options, id, hash).catch((error: unknown) => {
				options.log(`MCP server ${id} does not start: ${error instanceof Error ? error.message : String(error)}`);
				return false;
			}),
		);
}

async function ask(options: StartApprovalOptions, id: string, hash: string): Promise<boolean> {
	const { servers, approvals, restricted, dialogs, home, folders } = options;
	const setUp = (): McpServerConfig | undefined => servers().find((config) => config.id === id && hashServer(config) === hash);
	// Only what is set up now is shown, and only as what is shown it is approved.
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

/** Whether the program, its folder or one of its arguments lies in the workspace: its files then decide what runs. */
async function runsWorkspace(config: McpServerConfig, folders: readonly string[]): Promise<boolean> {
	if ("url" in config) return false;
	if (config.workspace !== undefined) return true;
	const named = [config.command, config.cwd ?? "", ...(config.args ?? [])].filter(isAbsolute);
	const real = (path: string): Promise<string> => realpath(path).catch(() => path);
	const places = [...named, ...(await Promise.all(named.map(real)))];
	const roots = [...folders, ...(await Promise.all(folders.map(real)))];
	return places.some((path) => roots.some((root) => relativePathWithin(root, path) !== undefined));
}
