// Whether an MCP server may start: what the person has said is kept by the hash of all that decides what it is, else they are asked.
import type { McpServerConfig, McpServerSummary } from "../core/mcp.ts";
import { serverHash } from "../mcp/canonical.ts";
import type { ServerApprovals } from "../storage/serverApprovals.ts";
import type { Launch, StartAnswer } from "../vscode/mcpShown.ts";
import { launchLines } from "../vscode/mcpShown.ts";
import { secretsOf } from "./mcpSettings.ts";

interface Parts {
	servers(): readonly McpServerConfig[];
	approvals: ServerApprovals;
	restricted(): string | undefined;
	mayStart(launch: Launch): Promise<StartAnswer>;
	/** Where programs run that name no folder. */
	home(): string;
	log(line: string): void;
}

/** Resolves with whether it may start; several turns that want it wait for the one answer. Never rejects: what cannot be kept is a no. */
export function createStart(parts: Parts): (summary: Pick<McpServerSummary, "id" | "hash">) => Promise<boolean> {
	const asking = new Map<string, Promise<boolean>>();
	return ({ id, hash }) => {
		const key = `${id} ${hash}`;
		const asked =
			asking.get(key) ??
			ask(parts, id, hash)
				.catch((error: unknown) => {
					parts.log(`MCP server ${id} does not start: ${error instanceof Error ? error.message : String(error)}`);
					return false;
				})
				.finally(() => asking.delete(key));
		asking.set(key, asked);
		return asked;
	};
}

async function ask({ servers, approvals, restricted, mayStart, home }: Parts, id: string, hash: string): Promise<boolean> {
	const setUp = (): McpServerConfig | undefined => servers().find((config) => config.id === id && serverHash(config) === hash);
	// Only what is set up now is shown, and only as what is shown it is approved.
	const config = setUp();
	if (restricted() !== undefined || !config || (await approvals.refused(id, hash))) return false;
	const before = await approvals.shownLast(id);
	const answer = await mayStart({ config, before, secrets: secretsOf(config), home: home() });
	if (answer === "never") await approvals.refuse(id, hash);
	if (answer !== "start") return false;
	await approvals.approve(id, hash, launchLines(config));
	return setUp() !== undefined && restricted() === undefined;
}
