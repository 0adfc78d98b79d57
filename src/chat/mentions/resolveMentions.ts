// Resolves a message's @ mentions to attachments and images.

// A mention is the user's own action, so no role limits it. The gate still says which places are protected; a
// protected file is included only if the user confirms that very file.

import { isAbsolute, join } from "node:path";
import type { Attachment, BlobRef } from "../../core/events.ts";
import { detectImageType } from "../../core/images.ts";
import type { Verdict } from "../../core/ports/gate.ts";
import { type PathFacts, type Tool, type ToolContext, ToolError } from "../../core/ports/tool.ts";
import type { Diagnostic } from "../../core/ports/workspace.ts";
import { PERMISSIONS, type Role } from "../../core/role.ts";
import type { CallFacts, Services } from "../../session/context.ts";
import { toDisplayPath } from "../../session/displayPaths.ts";
import { isImagePath } from "../../session/images.ts";
import { resolveSkillCall } from "../../session/prompt/promptCommands.ts";
import type { Session } from "../../session/session.ts";
import { truncateMiddle } from "../../session/truncate.ts";
import { gatherCallFacts } from "../../session/turn/callFacts.ts";
import { t } from "../../shared/l10n.ts";
import { contentHash } from "../../shared/node/hash.ts";
import { MAX_MESSAGE_IMAGES } from "../../shared/protocol/chat.ts";
import { type EditorMentionKind, type Mention, parseMentions, type ResolvedMention } from "./mention.ts";

/** Bytes of one attachment, of all of a message, and of a picture's file. */
const LIMITS = { each: 32_768, all: 262_144, picture: 30_000_000 };
/** Lines that are shown of a symbol whose end nobody knows. */
const SYMBOL_LINES = 40;

interface ResolvedMentions {
	attachments: Attachment[];
	images: BlobRef[];
	/** What the person should know: what was left out, and why. */
	notes: string[];
}

export interface MentionContext {
	conversation: Session;
	signal: AbortSignal;
	confirm(question: string, lines: readonly string[], button: string): Promise<boolean>;
	/** A picture file in the size that models take. */
	scale(name: string, bytes: Uint8Array): Promise<BlobRef>;
}

/** Never rejects but when the signal aborts. */
export async function resolveMentions(text: string, bringing: MentionContext): Promise<ResolvedMentions> {
	const brought: ResolvedMentions = { attachments: [], images: [], notes: [] };
	// Where no turn may start, nothing is read, asked or fetched for one.
	if (bringing.conversation.services.restricted() !== undefined) return brought;
	const lost: string[] = [];
	const skill = await resolveSkillCall(bringing.conversation, text).catch((error: Error) => void brought.notes.push(error.message));
	if (skill) brought.attachments.push(skill);
	const given = await Promise.all(parseMentions(text).map((mention) => bring(mention, bringing)));
	bringing.signal.throwIfAborted();
	let room = LIMITS.all;
	for (const gave of given) {
		if ("image" in gave) brought.images.push(gave.image);
		else if ("left" in gave) (gave.left === "" ? lost : brought.notes).push(gave.left || gave.label);
		else {
			const fits = truncateMiddle(gave.attachment.text, Math.min(room, LIMITS.each));
			const size = Buffer.byteLength(fits);
			if (size > room)
				brought.notes.push(t("@{0} wasn't included: the message has reached its limit of {1} KB.", gave.label, LIMITS.all / 1024));
			else brought.attachments.push({ ...gave.attachment, text: fits });
			room -= Math.min(room, size);
		}
	}
	if (brought.images.length > MAX_MESSAGE_IMAGES) {
		brought.notes.push(t("A message can contain up to {0} images. The rest weren't included.", MAX_MESSAGE_IMAGES));
		brought.images.length = MAX_MESSAGE_IMAGES;
	}
	if (lost.length > 0) {
		const names = lost.map((label) => `@${label}`).join(", ");
		brought.notes.push(t("No match for {0}. Sent as plain text.", names));
	}
	return brought;
}

async function bring(mention: Mention, bringing: MentionContext): Promise<ResolvedMention & { label: string }> {
	const { label } = mention;
	try {
		return { label, ...(await give(mention, bringing)) };
	} catch (error) {
		bringing.signal.throwIfAborted();
		const why =
			error instanceof ToolError ? (error.message.split(/(?<=\.)\s/)[0] ?? "") : String(error instanceof Error ? error.message : error);
		return { label, left: t("@{0} wasn't included. {1}", label, why) };
	}
}

function give(mention: Mention, bringing: MentionContext): Promise<ResolvedMention> {
	if (mention.kind === "path") return givePath(mention, bringing);
	if (mention.kind === "url") return giveUrl(mention, bringing);
	return resolveEditorMention(mention.kind, bringing.conversation.services, (path) => mayRead(path, mention.label, bringing));
}

async function givePath(mention: Mention & { kind: "path" }, bringing: MentionContext): Promise<ResolvedMention> {
	const { workspace } = bringing.conversation.services;
	const { label } = mention;
	const place = await findPlace(mention, bringing);
	if (!place) return { left: "" };
	const { path, type } = place;
	const judged = await mayRead(path, label, bringing);
	if ("left" in judged) return judged;
	// Where it was judged to lead, which need not be where it led when it was looked for.
	const [fact = place.fact] = judged.facts.paths;
	const shown = toDisplayPath(workspace, fact.literal);
	if (type === "directory") {
		const text = await formatFolderTree(fact, bringing.conversation.services, bringing.signal);
		return { attachment: { kind: "folder", label, text, path: shown } };
	}
	const picture = isImagePath(path) ? await pictureOf(fact, shown, bringing) : undefined;
	if (picture) return picture;
	const lines = mention.symbol && place.symbol ? await symbolLines(mention.symbol, fact, bringing) : mention.lines;
	if (!lines && mention.symbol && place.symbol) return { left: t("@{0} wasn't included: the file doesn't contain this symbol.", label) };
	const input = { path, ...(lines && { start: lines[0], end: lines[1] }) };
	const text = await runTool("read_file", input, judged.facts, bringing);
	const kind = place.symbol && mention.symbol ? "symbol" : "file";
	return { attachment: { kind, label, text: `${shown}\n${text}`, path: shown, ...(lines && { lines }) } };
}

/** A # or a colon may belong to a file's name: the whole label counts first. */
async function findPlace({ label, path, symbol }: Mention & { kind: "path" }, { conversation: session }: MentionContext) {
	const { workspace, gate } = session.services;
	for (const candidate of new Set([label, path])) {
		const fact = await gate.path(candidate, "read");
		if (fact.refused !== undefined) continue;
		const stat = await workspace.stat(fact.real);
		if (stat && stat.type !== "other")
			return { path: candidate, fact, type: stat.type, symbol: candidate === path && symbol !== undefined };
	}
	return undefined;
}

async function symbolLines(
	name: string,
	fact: PathFacts,
	{ conversation: session, signal }: MentionContext,
): Promise<[number, number] | undefined> {
	const hits = await session.services.workspace.symbols(name, signal);
	const hit = hits.find((candidate) => [fact.literal, fact.real].includes(candidate.path) && candidate.name.replace(/\(.*$/, "") === name);
	if (!hit) return undefined;
	const end = hit.end !== undefined && hit.end > hit.line ? hit.end : hit.line + SYMBOL_LINES - 1;
	return [hit.line, end];
}

async function pictureOf(
	fact: PathFacts,
	shown: string,
	{ conversation: session, scale }: MentionContext,
): Promise<ResolvedMention | undefined> {
	const { workspace } = session.services;
	const size = (await workspace.stat(fact.real))?.size ?? 0;
	if (size > LIMITS.picture)
		return { left: t("@{0} wasn't included: the image is larger than {1} MB.", shown, LIMITS.picture / 1_000_000) };
	const bytes = await workspace.read(fact.real);
	return detectImageType(bytes) ? { image: await scale(shown, bytes) } : undefined;
}

async function giveUrl({ label, url }: Mention & { kind: "url" }, bringing: MentionContext): Promise<ResolvedMention> {
	const { settings } = bringing.conversation.services;
	const tool = toolNamed("web_fetch", bringing);
	if (!tool || settings().pluginsOff.includes(tool.plugin))
		return { left: t("@{0} wasn't included: fetching pages is turned off.", label) };
	const judged = await judge(tool, { url }, label, bringing);
	if ("left" in judged) return judged;
	const text = await runTool("web_fetch", { url }, judged.facts, bringing);
	return { attachment: { kind: "url", label, text, path: url } };
}

/** Whether the person's word lets this file's content into the message. */
function mayRead(path: string, label: string, bringing: MentionContext): Promise<{ facts: CallFacts } | { left: string }> {
	const tool = toolNamed("read_file", bringing);
	if (!tool) return Promise.resolve({ left: t("@{0} wasn't included: reading files is turned off.", label) });
	return judge(tool, { path }, label, bringing);
}

async function judge(
	tool: Tool,
	input: unknown,
	label: string,
	bringing: MentionContext,
): Promise<{ facts: CallFacts } | { left: string }> {
	const { services } = bringing.conversation;
	const facts = await gatherCallFacts(services.gate, tool, input);
	const { decision, layer, reason } = verdictOf(tool, facts, bringing);
	if (decision === "deny") return { left: t("@{0} wasn't included. {1}", label, reason) };
	if (decision === "allow" || layer === "mode" || layer === "grants") return { facts };
	const question = t("Send the contents of {0} to the model?", label);
	if (!(await bringing.confirm(question, [reason], t("Send"))))
		return { left: t("@{0} wasn't included: the location is protected, and you chose not to send the content.", label) };
	const now = await gatherCallFacts(services.gate, tool, input);
	if (contentHash(now.paths.map(({ real }) => real)) === contentHash(facts.paths.map(({ real }) => real))) return { facts: now };
	return { left: t("@{0} wasn't included: the path points to a different location than when you were asked.", label) };
}

/** The gate's answer to the person themselves: no role and no agent narrows it, their rules and protected places do. */
function verdictOf(tool: Tool, facts: CallFacts, { conversation: session }: MentionContext): Verdict {
	const { gate, settings, workspace } = session.services;
	return gate.authorize({
		agent: { agentId: "person", displayName: "Person" },
		role: PERSON,
		tool,
		access: { pluginsOff: [] },
		...facts,
		rules: settings().rules,
		grants: [],
		workspace: workspace.identity(),
		mode: "ask",
		planRuns: false,
		canAsk: true,
	});
}

const PERSON: Role = { id: "person", label: "Person", permissions: PERMISSIONS, prompt: "" };

function toolNamed(name: string, { conversation: session }: MentionContext): Tool | undefined {
	return session.services.tools.find((tool) => tool.name === name);
}

async function runTool(name: string, input: unknown, facts: CallFacts, bringing: MentionContext): Promise<string> {
	const tool = toolNamed(name, bringing);
	if (!tool?.run) throw new Error(`The tool ${name} is missing`);
	const { services, files } = bringing.conversation;
	const context: ToolContext = {
		workspace: services.workspace,
		signal: bringing.signal,
		call: "mention",
		paths: new Map(facts.paths.map((path) => [path.given, path])),
		visible: (path) => services.gate.visible(path),
		allows: () => true,
		seen: files,
		progress: () => undefined,
		permitUrl: async (url) => {
			const { decision, layer } = verdictOf(tool, { paths: [], url }, bringing);
			const same = facts.url !== undefined && new URL(url).origin === new URL(facts.url).origin;
			return decision === "allow" || (decision === "ask" && same && layer === "mode");
		},
	};
	const { output, status } = await tool.run(tool.input.parse(input), context);
	if (status === "error") throw new ToolError(t("The tool returned an error ({0}).", output.split("\n")[0] ?? ""));
	return output;
}

type MayRead = (path: string) => Promise<object | { left: string }>;
type Brings = (services: Services, mayRead: MayRead) => Promise<ResolvedMention>;

function resolveEditorMention(kind: EditorMentionKind, services: Services, mayRead: MayRead): Promise<ResolvedMention> {
	return brings[kind](services, mayRead);
}

const PROBLEMS = 200;
/** Characters of the newest terminal output. */
const TERMINAL = 30_000;
const SEVERITIES: readonly Diagnostic["severity"][] = ["error", "warning", "info", "hint"];

const brings: Record<EditorMentionKind, Brings> = {
	async selection({ facts, workspace }, mayRead) {
		const found = facts.selection();
		if (!found || found.text === "") return { left: t("@selection wasn't included: no text is selected in the editor.") };
		const { path, lines, text } = found;
		const judged = isAbsolute(path) ? await mayRead(path) : {};
		if ("left" in judged && typeof judged.left === "string") return { left: judged.left };
		const shown = isAbsolute(path) ? toDisplayPath(workspace, path) : path;
		const where = { label: "selection", path: shown, lines };
		return { attachment: { kind: "selection", ...where, text: `${shown}, lines ${lines[0]} to ${lines[1]}\n${text}` } };
	},
	async problems({ workspace, gate }) {
		const found = await workspace.diagnostics();
		const paths = [...new Set(found.map(({ path }) => path))];
		const shown = new Set(paths.filter(await filterOf(paths, (path) => gate.visible(path))));
		const rank = ({ severity }: Diagnostic) => SEVERITIES.indexOf(severity);
		const listed = found.filter(({ path }) => shown.has(path)).sort((left, right) => rank(left) - rank(right));
		const lines = listed.slice(0, PROBLEMS).map(({ path, line, severity, message, source }) => {
			return `${toDisplayPath(workspace, path)}:${line}: ${severity}: ${message}${source ? ` (${source})` : ""}`;
		});
		if (listed.length > PROBLEMS) lines.push(`[${listed.length - PROBLEMS} more]`);
		return { attachment: { kind: "problems", label: "problems", text: lines.join("\n") || "[the editor shows no problems]" } };
	},
	async terminal({ facts }) {
		const text = facts.terminal();
		if (text.trim() === "")
			return { left: t("@terminal wasn't included: no terminal with shell integration has produced output since Troupe started.") };
		const cut = text.length > TERMINAL ? `[${text.length - TERMINAL} earlier characters left out]\n${text.slice(-TERMINAL)}` : text;
		return { attachment: { kind: "terminal", label: "terminal", text: cut } };
	},
	async changes({ facts, gate }) {
		const found = await facts.changes((path) => gate.visible(path));
		if (!found) return { left: t("@changes wasn't included: this folder isn't a git repository, or git didn't respond.") };
		const parts = [
			found.diff.trimEnd(),
			...(found.untracked.length > 0 ? [`New files that git does not track yet:\n${found.untracked.join("\n")}`] : []),
			...(found.hidden > 0 ? [`[${found.hidden} protected files not shown]`] : []),
		].filter((part) => part !== "");
		return { attachment: { kind: "changes", label: "changes", text: parts.join("\n\n") || "[nothing differs from the last commit]" } };
	},
};

async function filterOf<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<(item: T) => boolean> {
	const passed = await Promise.all(items.map(test));
	const answers = new Map(items.map((item, index) => [item, passed[index] === true]));
	return (item) => answers.get(item) === true;
}

const DEPTH = 3;
const FOLDER_LIMITS = { looked: 5_000, shown: 400 };

interface Folder {
	folders: Map<string, Folder>;
	files: string[];
	/** Files in it and below. */
	count: number;
}

/** For the model. */
async function formatFolderTree(fact: PathFacts, { workspace, gate }: Services, signal: AbortSignal): Promise<string> {
	const found = await workspace.find("**", { under: fact.real, limit: FOLDER_LIMITS.looked, signal });
	const root: Folder = { folders: new Map(), files: [], count: 0 };
	const seen = await Promise.all(found.paths.map((path) => gate.visible(join(fact.literal, path))));
	for (const [index, path] of found.paths.entries()) if (seen[index]) add(root, path.split("/"));
	const lines = linesOf(root, 0);
	const protectedOnes = seen.filter((shown) => !shown).length;
	const notes = [
		...(lines.length > FOLDER_LIMITS.shown ? [`[${lines.length - FOLDER_LIMITS.shown} more lines; list a folder of it to see them]`] : []),
		...(found.more ? [`[only the first ${FOLDER_LIMITS.looked} files were looked at]`] : []),
		...(protectedOnes > 0 ? [`[${protectedOnes} protected files not shown]`] : []),
	];
	return [fact.given, ...lines.slice(0, FOLDER_LIMITS.shown), ...notes].join("\n");
}

function add(root: Folder, segments: string[]): void {
	let folder = root;
	folder.count += 1;
	for (const name of segments.slice(0, -1)) {
		const next = folder.folders.get(name) ?? { folders: new Map(), files: [], count: 0 };
		folder.folders.set(name, next);
		folder = next;
		folder.count += 1;
	}
	folder.files.push(segments.at(-1) as string);
}

function linesOf(folder: Folder, depth: number): string[] {
	const indent = "  ".repeat(depth + 1);
	const below = [...folder.folders].flatMap(([name, inner]) => {
		if (depth + 1 < DEPTH) return [`${indent}${name}/`, ...linesOf(inner, depth + 1)];
		return [`${indent}${name}/ (${inner.count} ${inner.count === 1 ? "file" : "files"})`];
	});
	return [...below, ...folder.files.map((name) => `${indent}${name}`)];
}
