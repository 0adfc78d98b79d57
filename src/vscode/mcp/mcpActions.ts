// What a person may do with MCP servers: look at them, start and stop them, take approvals back, and say which tools only read.
import type { McpServerManager, McpServerStatus } from "../../core/ports/mcp.ts";

export interface McpActions extends Pick<McpServerManager, "onChange" | "output" | "try" | "stop" | "signOut"> {
	list(): readonly McpServerStatus[];
	/** Why nothing starts now (Restricted Mode); undefined when it may. */
	restrictedReason(): string | undefined;
	/** What was said to its start as it is set up now. */
	startDecision(server: string): Promise<"approved" | "never" | undefined>;
	/** Takes back what was said to its start, and its marks; stops it. */
	resetApprovals(server: string): Promise<void>;
	/** Hash of the definition that was marked as one that only reads, current or not. */
	readOnlyMarkHash(server: string, tool: string): string | undefined;
	/** Marks exactly these of its tools, by the server's name for them, as they are defined now. */
	markReadOnlyTools(server: string, readOnly: readonly string[]): Promise<void>;
	/** Names of secrets that the set-up servers use. */
	requiredSecrets(): string[];
	/** Opens a text to be read. */
	showText(title: string, text: string): Promise<void>;
}
