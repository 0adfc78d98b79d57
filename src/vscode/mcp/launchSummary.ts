// Describes everything that defines an MCP server before it starts; pure.
import { diffArrays } from "diff";
import { isPlainAddress } from "../../core/hiddenText.ts";
import type { McpLaunch, McpServerConfig } from "../../core/ports/mcp.ts";
import { t } from "../../shared/l10n.ts";
import { formatAddress, isVisuallyReordered, joinSegments, segmentLine, visibleLine } from "../../shared/safeText.ts";

/** One line per part of the configuration, stored to detect changes; contains no variable or header values. */
export function launchLines(config: McpServerConfig): string[] {
	if ("url" in config) {
		const client = config.signIn ? [`client ${oneLine(config.signIn.clientId)}`] : [];
		return [`address ${formatAddress(config.url)}`, ...named("header", config.headers), ...client];
	}
	const { command, args = [], env, cwd, workspace } = config;
	return [
		`command ${oneLine(command)}`,
		...args.map((argument) => `argument ${oneLine(argument)}`),
		...named("variable", env),
		...(cwd === undefined ? [] : [`folder ${oneLine(cwd)}`]),
		...(workspace === undefined ? [] : [`workspace ${oneLine(workspace)}`]),
	];
}

/** The full text for the dialog. */
export function launchDetails({
	config,
	approvedLines: before,
	secretNames: secrets,
	defaultFolder: home,
	runsWorkspaceFiles: inWorkspace,
}: McpLaunch): string {
	const lines = launchLines(config);
	const runs = "command" in config;
	const parts = [
		runs
			? t(
					"This program runs with your permissions on this computer. It receives only the environment variables listed here and a few standard ones.",
				)
			: t("This server runs elsewhere. Everything that agents pass to its tools is sent there."),
		block(lines),
		...(runs && config.cwd === undefined ? [t("{0}: {1}", t("Folder"), oneLine(home))] : []),
		...(inWorkspace
			? [t("This server runs files from this workspace. Anyone who can change those files controls what the server does.")]
			: []),
		...(secrets.length > 0 ? [t("Secrets passed to the server: {0}", secrets.map(visibleLine).join(", "))] : []),
		config.source === "catalog" ? t("Defined in: Troupe Catalog") : t("Defined in: User Settings"),
		...(before ? [changesText(before, lines)] : []),
	];
	return parts.join("\n\n");
}

/** One argument per line; anything ambiguous is quoted. */
function block(lines: readonly string[]): string {
	const groups = new Map<string, string[]>();
	for (const line of lines) {
		const [kind, rest] = partsOf(line);
		groups.set(kind, [...(groups.get(kind) ?? []), rest]);
	}
	return [...groups]
		.map(([kind, values]) =>
			SINGLE_KINDS.has(kind)
				? t("{0}: {1}", labelOf(kind), values[0] ?? "")
				: `${t("{0}:", labelOf(kind))}\n${values.map((each) => `    ${each}`).join("\n")}`,
		)
		.join("\n");
}

function changesText(before: readonly string[], after: readonly string[]): string {
	const changes = diffArrays([...before], [...after])
		.filter(({ added, removed }) => added || removed)
		.flatMap(({ added, value }) =>
			value.map((line) => {
				const [kind, rest] = partsOf(line);
				return `${added ? "+" : "−"} ${t("{0}: {1}", labelOf(kind), rest)}`;
			}),
		);
	if (changes.length === 0) return t("You approved this server before with the same configuration.");
	return `${t("Changed since you approved it:")}\n${changes.join("\n")}`;
}

const SINGLE_KINDS = new Set(["command", "folder", "workspace", "address"]);

function labelOf(kind: string): string {
	const labels: Record<string, string> = {
		command: t("Program"),
		argument: t("Arguments"),
		variable: t("Environment variables"),
		folder: t("Folder"),
		workspace: t("Workspace folder"),
		address: t("Address"),
		header: t("Headers"),
	};
	return labels[kind] ?? kind;
}

function partsOf(line: string): [string, string] {
	const at = line.indexOf(" ");
	return [line.slice(0, at), line.slice(at + 1)];
}

function named(kind: string, values: Readonly<Record<string, string>> | undefined): string[] {
	return Object.keys(values ?? {})
		.sort()
		.map((name) => `${kind} ${oneLine(name)}`);
}

/** Quotes mark both ends; line breaks, invisible and reordering characters are escaped. */
function oneLine(text: string): string {
	const quoted = /^[\w@%+=:,./-]+$/.test(text) ? text : JSON.stringify(text);
	return joinSegments({ segments: segmentLine(quoted, { blanks: true, ascii: isVisuallyReordered(text) }) });
}

/** Host of a sign-in URL: https, or http on this computer, checked after parsing; otherwise undefined. */
export function parseSignInHost(address: string): string | undefined {
	if (!URL.canParse(address) || !isPlainAddress(address)) return undefined;
	const { protocol, hostname, host, username, password } = new URL(address);
	if (username !== "" || password !== "") return undefined;
	const isLocal = ["127.0.0.1", "[::1]", "localhost"].includes(hostname);
	return protocol === "https:" || (protocol === "http:" && isLocal) ? host : undefined;
}
