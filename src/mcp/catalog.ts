// Catalog of MCP servers that need no configuration.
import type { McpHttpConfig, McpServerConfig, McpStdioConfig } from "../core/ports/mcp.ts";

type Entry = Pick<McpServerConfig, "id" | "name" | "description" | "icon"> & (McpStdioConfig | McpHttpConfig);

const ENTRIES: readonly Entry[] = [
	{
		id: "linear",
		name: "Linear",
		description: "Linear project management - issues, projects, teams",
		icon: "checklist",
		// Connects directly, without mcp-remote: docs/decisions/0018-linear-is-asked-directly.md.
		url: "https://mcp.linear.app/mcp",
	},
	{
		id: "github",
		name: "GitHub",
		description: "Repositories, issues and pull requests",
		icon: "github",
		url: "https://api.githubcopilot.com/mcp/",
		// It does not support client registration, so it needs a personal access token.
		headers: { Authorization: `Bearer \${secret:GITHUB_TOKEN}` },
	},
	{
		id: "sentry",
		name: "Sentry",
		description: "Errors and performance of your applications",
		icon: "bug",
		url: "https://mcp.sentry.dev/mcp",
	},
	{ id: "notion", name: "Notion", description: "Pages and databases of Notion", icon: "note", url: "https://mcp.notion.com/mcp" },
	{
		id: "context7",
		name: "Context7",
		description: "Documentation of libraries, by version",
		icon: "book",
		url: "https://mcp.context7.com/mcp",
	},
	npm(
		"filesystem",
		"Filesystem",
		"Files of the workspace folder",
		"folder",
		"@modelcontextprotocol/server-filesystem@2026.8.31",
		`\${workspaceFolder}`,
	),
	npm("memory", "Memory", "A graph of what is to be remembered", "database", "@modelcontextprotocol/server-memory@2026.8.31"),
	npm(
		"everything",
		"Everything",
		"The protocol's reference server, to try things out",
		"beaker",
		"@modelcontextprotocol/server-everything@2026.8.31",
	),
	npm("playwright", "Playwright", "A browser that the agent drives", "browser", "@playwright/mcp@0.0.83"),
];

export const catalog: readonly McpServerConfig[] = ENTRIES.map((entry) => ({ ...entry, source: "catalog" }));

/** An npm package, run without a shell. */
function npm(id: string, name: string, description: string, icon: string, pack: string, ...args: string[]): Entry {
	return { id, name, description, icon, command: "npx", args: ["-y", pack, ...args] };
}
