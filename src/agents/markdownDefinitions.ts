// Parses agents in VS Code's `*.agent.md` and Claude Code's `.claude/agents/*.md` formats.

// The front matter is YAML and the body is the prompt. Both become a Troupe definition, with notes on what has no
// meaning here.

import { basename } from "node:path";
import { isRecord } from "../core/isRecord.ts";
import { t } from "../shared/l10n.ts";
import { MAX_FRONT_MATTER, parseFrontMatter, splitFrontMatter } from "../shared/node/frontMatter.ts";
import { AGENT_ID_PATTERN } from "./agentSchema.ts";
import { truncateForDisplay } from "./definitions.ts";
import type { DefinitionEntry, ParsedDefinitionFile } from "./jsonDefinitions.ts";
import { translateToolNames } from "./toolNameTranslation.ts";

export type MarkdownDefinitionFormat = "github" | "claude";

type Head = Record<string, unknown>;

/** `text` has no byte order mark. */
export async function parseDefinitionMarkdown(text: string, path: string, style: MarkdownDefinitionFormat): Promise<ParsedDefinitionFile> {
	const parts = splitFrontMatter(text);
	if (!parts && (style === "claude" || text.startsWith("---"))) return { problem: t("No front matter"), line: 1 };
	const parsed = await parseHead(parts?.head ?? "");
	if ("problem" in parsed) return parsed;
	const { head, lineOf } = parsed;
	const notes: string[] = [];
	const problem = wrongType(head);
	if (problem) return { ...problem, ...lineAt(lineOf(problem.field)) };
	const { output, ...fields } = head;
	const entry = style === "claude" ? ofClaude(fields, path, notes) : ofGithub(fields, path, notes);
	const body = (parts?.body ?? text).trim();
	const value = { ...entry, ...(output !== undefined && { output }), ...(body !== "" && { systemPrompt: body }) };
	return { entries: [{ value, lineOf: ([field]) => lineOf(FROM[String(field)] ?? String(field)), notes }] satisfies DefinitionEntry[] };
}

/** Maps our fields to theirs, for line numbers. */
const FROM: Readonly<Record<string, string>> = {
	agentId: "name",
	displayName: "name",
	toolAllowlist: "tools",
	toolDenylist: "disallowedTools",
	agentAllowlist: "agents",
	uiVisible: "user-invocable",
};

/** Descriptions with an unquoted colon are invalid YAML, but other programs accept them. */
export async function parseHead(
	source: string,
): Promise<{ head: Head; lineOf(field: string): number | undefined } | { problem: string; line?: number }> {
	const read = await parseFrontMatter(source, quoteDescriptions);
	if ("problem" in read) {
		if (read.problem === "long") return { problem: t("The front matter is longer than {0} KB", MAX_FRONT_MATTER), line: 1 };
		if (read.problem === "aliases") return { problem: t("The front matter uses YAML aliases, which aren't supported") };
		return { problem: t("The front matter isn't valid YAML ({0})", truncateForDisplay(read.detail)), ...lineAt(read.line) };
	}
	const head = read.value ?? {};
	if (!isRecord(head)) return { problem: t("The front matter must be an object"), line: 2 };
	return { head, lineOf: read.lineOf };
}

function quoteDescriptions(head: string): string {
	return head.replaceAll(
		/^(description|argument-hint):[ \t]+(?!["'|>[{&*!])(.*)$/gm,
		(_, field: string, rest: string) => `${field}: ${JSON.stringify(rest.trim())}`,
	);
}

const LIST_FIELDS = ["tools", "disallowedTools", "agents"];
const TEXT_FIELDS = ["name", "description", "color", "target"];
const SWITCHES = ["user-invocable", "user-invokable", "infer"];

function wrongType(head: Head): { field: string; problem: string } | undefined {
	for (const [field, value] of Object.entries(head)) {
		if (value === null || value === undefined) continue;
		const [list, text] = [LIST_FIELDS.includes(field), TEXT_FIELDS.includes(field)];
		if (list && typeof value !== "string" && !isTexts(value)) return { field, problem: t("{0}: {1}", field, t("Must be a list")) };
		if (text && typeof value !== "string") return { field, problem: t("{0}: {1}", field, t("Must be text")) };
		if (SWITCHES.includes(field) && typeof value !== "boolean") return { field, problem: t("{0}: {1}", field, t("Must be true or false")) };
	}
	return undefined;
}

function ofClaude(head: Head, path: string, notes: string[]): Head {
	const { name, description, tools, disallowedTools, model, color, mcpServers, ...rest } = head;
	const said = typeof name === "string" ? name.trim() : "";
	const [allowed, denied] = [toolsOf(tools, "claude", notes), toolsOf(disallowedTools, "claude", notes, true)];
	const servers = isTexts(mcpServers) ? mcpServers : [];
	if (isFilled(mcpServers) && servers.length === 0)
		notes.push(t("MCP servers defined by this agent are ignored. Add them to troupe.mcpServers."));
	noteModel(model, notes);
	noteRest(rest, notes);
	return {
		agentId: AGENT_ID_PATTERN.test(said) ? said : idOf(basename(path, ".md")),
		displayName: said || basename(path, ".md"),
		...(description !== undefined && { description }),
		...allowed.list,
		...(denied.list.toolAllowlist && { toolDenylist: denied.list.toolAllowlist }),
		...withServers([...servers, ...allowed.servers]),
		...(typeof color === "string" && COLORS[color] && { color: COLORS[color] }),
	};
}

function ofGithub(head: Head, path: string, notes: string[]): Head {
	const { name, description, tools, model, agents, ...rest } = head;
	const { "user-invocable": invocable = rest["user-invokable"], "user-invokable": _, infer: __, target, ...others } = rest;
	const stem = basename(path).replace(/(\.agent)?\.md$/, "");
	const allowed = toolsOf(tools, "github", notes);
	const peers = typeof agents === "string" ? split(agents) : isTexts(agents) ? agents : undefined;
	noteModel(model, notes);
	if (typeof target === "string" && target !== "vscode") notes.push(t("This agent is designed for {0}.", truncateForDisplay(target)));
	noteRest(others, notes);
	return {
		agentId: idOf(stem),
		displayName: typeof name === "string" && name.trim() !== "" ? name.trim() : stem,
		...(description !== undefined && { description }),
		...allowed.list,
		...withServers(allowed.servers),
		...(peers && !peers.includes("*") && { agentAllowlist: peers }),
		...(invocable === false && { uiVisible: false }),
	};
}

/** Absent means every tool; an empty list means none. */
function toolsOf(
	value: unknown,
	style: MarkdownDefinitionFormat,
	notes: string[],
	denying = false,
): { list: { toolAllowlist?: string[] }; servers: string[] } {
	const names = typeof value === "string" ? split(value) : isTexts(value) ? value : undefined;
	if (names === undefined) return { list: {}, servers: [] };
	const { globs, servers, unknown, conditional } = translateToolNames(names, style, denying);
	if (unknown.length > 0) notes.push(t("Troupe has no equivalent for these tools: {0}.", unknown.map(truncateForDisplay).join(", ")));
	if (conditional.length > 0) {
		const which = conditional.map(truncateForDisplay).join(", ");
		notes.push(
			denying
				? t("Conditions on tools aren't supported, so these tools are always denied: {0}.", which)
				: t("Conditions on tools aren't supported, so these tools aren't available: {0}.", which),
		);
	}
	const list = globs ?? (denying ? ["**"] : undefined);
	return { list: list ? { toolAllowlist: list } : {}, servers };
}

function noteModel(model: unknown, notes: string[]): void {
	const names = (isTexts(model) ? model : [model]).filter((name) => typeof name === "string" && name !== "inherit");
	if (names.length > 0)
		notes.push(
			t(
				"This agent requests the model {0}, but your settings determine the model.",
				names.map((name) => truncateForDisplay(String(name))).join(", "),
			),
		);
}

function noteRest(rest: Head, notes: string[]): void {
	const filled = Object.keys(rest).filter((field) => rest[field] !== null && !SILENT.includes(field));
	if (filled.length > 0) notes.push(t("Troupe doesn't use these fields: {0}.", filled.slice(0, 20).map(truncateForDisplay).join(", ")));
}

/** Fields that can be ignored without a note. */
const SILENT = ["argument-hint", "metadata", "license", "version"];

const COLORS: Readonly<Record<string, string>> = {
	red: "charts.red",
	blue: "charts.blue",
	green: "charts.green",
	yellow: "charts.yellow",
	orange: "charts.orange",
	purple: "charts.purple",
	pink: "terminal.ansiMagenta",
	magenta: "terminal.ansiMagenta",
	cyan: "terminal.ansiCyan",
};

function withServers(servers: readonly string[]): { mcpServers?: string[] } {
	return servers.length > 0 ? { mcpServers: [...new Set(servers)] } : {};
}

/** Commas in parentheses belong to a tool's condition. */
function split(list: string): string[] {
	const names: string[] = [];
	for (let from = 0; from < list.length; ) {
		const [comma, open] = [list.indexOf(",", from), list.indexOf("(", from)];
		const close = open < 0 || (comma >= 0 && comma < open) ? -1 : list.indexOf(")", open);
		const end = close < 0 ? comma : list.indexOf(",", close);
		names.push(list.slice(from, end < 0 ? list.length : end).trim());
		from = end < 0 ? list.length : end + 1;
	}
	return names.filter(Boolean);
}

function idOf(stem: string): string {
	return stem
		.replaceAll(/[^A-Za-z0-9_-]+/g, "-")
		.replaceAll(/^-+|-+$/g, "")
		.slice(0, 64);
}

function lineAt(line: number | undefined): { line?: number } {
	return line === undefined ? {} : { line };
}

function isTexts(value: unknown): value is string[] {
	return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}

function isFilled(value: unknown): boolean {
	return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}
