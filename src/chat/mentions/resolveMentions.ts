// Resolves a message's @ mentions to attachments and images.

// A mention is the user's own action, so no role limits it. Protected paths still apply: a protected file is included only
// if the user confirms that file.

import { isAbsolute, join } from "node:path";
import type { Attachment, BlobRef } from "../../core/events.ts";
import { detectImageType } from "../../core/images.ts";
import { toDisplayPath } from "../../core/paths.ts";
import { type PathFacts, ToolError } from "../../core/ports/tool.ts";
import type { Diagnostic } from "../../core/ports/workspace/language.ts";
import { EVERYTHING, PERSON } from "../../session/agent/person.ts";
import { resolveSkillCall } from "../../session/prompt/promptCommands.ts";
import type { Services, SessionWorkspace } from "../../session/services.ts";
import type { Session } from "../../session/session.ts";
import { DiskCache } from "../../session/state/diskCache.ts";
import { LoopGuard } from "../../session/state/loopGuard.ts";
import { SessionApprovals } from "../../session/state/sessionApprovals.ts";
import { isImagePath } from "../../session/transcript/images.ts";
import type { EndedCall } from "../../session/turn/call/results.ts";
import { type PermittedCall, permitToolCall } from "../../session/turn/call/run.ts";
import type { TurnContext } from "../../session/turnContext.ts";
import { t } from "../../shared/l10n.ts";
import { MAX_MESSAGE_IMAGES } from "../../shared/protocol/chat.ts";
import { reasonOf } from "../../shared/reasonOf.ts";
import { truncateMiddle } from "../../shared/utf8.ts";
import { type EditorMentionKind, type Mention, parseMentions, type ResolvedMention } from "./mention.ts";

/** Maximum bytes of one attachment, of all attachments of a message, and of an image file. */
const LIMITS = { each: 32_768, all: 262_144, image: 30_000_000 };
/** Lines included for a symbol whose end is unknown. */
const SYMBOL_LINES = 40;

interface ResolvedMentions {
	attachments: Attachment[];
	images: BlobRef[];
	/** Notes for the user: what was left out, and why. */
	notes: string[];
}

export interface MentionContext {
	session: Session;
	signal: AbortSignal;
	confirm(question: string, lines: readonly string[], button: string): Promise<boolean>;
	/** Scales an image file to a size that models accept. */
	scale(name: string, bytes: Uint8Array): Promise<BlobRef>;
}

/** Rejects only if the signal aborts. */
export async function resolveMentions(text: string, context: MentionContext): Promise<ResolvedMentions> {
	const result: ResolvedMentions = { attachments: [], images: [], notes: [] };
	// If no turn may start, nothing is read, requested or fetched for one.
	if (context.session.services.restricted() !== undefined) return result;
	const unmatched: string[] = [];
	const skill = await resolveSkillCall(context.session, text).catch(
		(error: unknown) => void result.notes.push(reasonOf(error, context.session.services.log)),
	);
	if (skill) result.attachments.push(skill);
	const results = await Promise.all(parseMentions(text).map((mention) => resolveMention(mention, context)));
	context.signal.throwIfAborted();
	let remaining = LIMITS.all;
	for (const resolved of results) {
		if ("image" in resolved) result.images.push(resolved.image);
		else if ("left" in resolved) (resolved.left === "" ? unmatched : result.notes).push(resolved.left || resolved.label);
		else {
			const fits = truncateMiddle(resolved.attachment.text, Math.min(remaining, LIMITS.each));
			const size = Buffer.byteLength(fits);
			if (size > remaining)
				result.notes.push(t("@{0} wasn't included: the message has reached its limit of {1} KB.", resolved.label, LIMITS.all / 1024));
			else result.attachments.push({ ...resolved.attachment, text: fits });
			remaining -= Math.min(remaining, size);
		}
	}
	if (result.images.length > MAX_MESSAGE_IMAGES) {
		result.notes.push(t("A message can contain up to {0} images. The rest weren't included.", MAX_MESSAGE_IMAGES));
		result.images.length = MAX_MESSAGE_IMAGES;
	}
	if (unmatched.length > 0) {
		const names = unmatched.map((label) => `@${label}`).join(", ");
		result.notes.push(t("No match for {0}. Sent as plain text.", names));
	}
	return result;
}

async function resolveMention(mention: Mention, context: MentionContext): Promise<ResolvedMention & { label: string }> {
	const { label } = mention;
	try {
		return { label, ...(await resolveByKind(mention, context)) };
	} catch (error) {
		context.signal.throwIfAborted();
		const why = error instanceof ToolError ? (error.message.split(/(?<=\.)\s/)[0] ?? "") : reasonOf(error, context.session.services.log);
		return { label, left: t("@{0} wasn't included. {1}", label, why) };
	}
}

function resolveByKind(mention: Mention, context: MentionContext): Promise<ResolvedMention> {
	if (mention.kind === "path") return resolvePath(mention, context);
	if (mention.kind === "url") return resolveUrl(mention, context);
	return resolveEditorMention(mention.kind, context.session.services, (path) => permit("read_file", { path }, mention.label, context));
}

async function resolvePath(mention: Mention & { kind: "path" }, context: MentionContext): Promise<ResolvedMention> {
	const { workspace } = context.session;
	const { label } = mention;
	const place = await findPlace(mention, context);
	if (!place) return { left: "" };
	const { path, type } = place;
	const symbol = type === "file" && place.symbol ? mention.symbol : undefined;
	const lines = symbol === undefined ? mention.lines : await symbolLines(symbol, place.fact, context);
	const read = await permit("read_file", { path, ...(lines && { start: lines[0], end: lines[1] }) }, label, context);
	if ("left" in read) return read;
	// Where it was judged to lead, which need not be where it led when it was looked for.
	const [fact = place.fact] = read.facts.paths;
	const shown = toDisplayPath(workspace, fact.literal);
	if (type === "directory") {
		const text = await formatFolderTree(fact, context.session, context.signal);
		return { attachment: { kind: "folder", label, text, path: shown } };
	}
	const image = isImagePath(path) ? await resolveImage(fact, shown, context) : undefined;
	if (image) return image;
	if (!lines && symbol !== undefined) return { left: t("@{0} wasn't included: the file doesn't contain this symbol.", label) };
	const text = await outputOf(read);
	const kind = symbol === undefined ? "file" : "symbol";
	return { attachment: { kind, label, text: `${shown}\n${text}`, path: shown, ...(lines && { lines }) } };
}

/** A # or a colon may be part of a file name, so the whole label is tried first. */
async function findPlace({ label, path, symbol }: Mention & { kind: "path" }, { session }: MentionContext) {
	const { workspace, gate } = session;
	for (const candidate of new Set([label, path])) {
		const fact = await gate.path(candidate, "read");
		if (fact.refused !== undefined) continue;
		const stat = await workspace.stat(fact.real);
		if (stat && stat.type !== "other")
			return { path: candidate, fact, type: stat.type, symbol: candidate === path && symbol !== undefined };
	}
	return undefined;
}

async function symbolLines(name: string, fact: PathFacts, { session, signal }: MentionContext): Promise<[number, number] | undefined> {
	const hits = await session.workspace.symbols(name, signal);
	const hit = hits.find((candidate) => [fact.literal, fact.real].includes(candidate.path) && candidate.name.replace(/\(.*$/, "") === name);
	if (!hit) return undefined;
	const end = hit.end !== undefined && hit.end > hit.line ? hit.end : hit.line + SYMBOL_LINES - 1;
	return [hit.line, end];
}

async function resolveImage(fact: PathFacts, shown: string, { session, scale }: MentionContext): Promise<ResolvedMention | undefined> {
	const { workspace } = session;
	const size = (await workspace.stat(fact.real))?.size ?? 0;
	if (size > LIMITS.image) return { left: t("@{0} wasn't included: the image is larger than {1} MB.", shown, LIMITS.image / 1_000_000) };
	const bytes = await workspace.read(fact.real);
	return detectImageType(bytes) ? { image: await scale(shown, bytes) } : undefined;
}

async function resolveUrl({ label, url }: Mention & { kind: "url" }, context: MentionContext): Promise<ResolvedMention> {
	const fetched = await permit("web_fetch", { url }, label, context);
	return "left" in fetched ? fetched : { attachment: { kind: "url", label, text: await outputOf(fetched), path: url } };
}

type OwnTool = "read_file" | "web_fetch";

/** Judges a call as every tool call is judged and run, with the person as the one who makes it. */
async function permit(name: OwnTool, input: unknown, label: string, context: MentionContext): Promise<PermittedCall | { left: string }> {
	const call = await permitToolCall(personTurn(label, context), { id: "mention", name, input });
	return "run" in call ? call : { left: leftReason(name, call, label) };
}

function leftReason(name: OwnTool, { result, refusal }: EndedCall, label: string): string {
	if (refusal?.layer === "unknown" || refusal?.layer === "scope") {
		return name === "web_fetch"
			? t("@{0} wasn't included: fetching pages is turned off.", label)
			: t("@{0} wasn't included: reading files is turned off.", label);
	}
	if (refusal?.layer === "protected")
		return t("@{0} wasn't included: the path points to a different location than when you were asked.", label);
	if (refusal) return t("@{0} wasn't included. {1}", label, refusal.reason);
	if (result.status === "denied")
		return t("@{0} wasn't included: the location is protected, and you chose not to send the content.", label);
	return t("@{0} wasn't included. {1}", label, result.output);
}

async function outputOf({ run }: PermittedCall): Promise<string> {
	const { output, status } = (await run()).result;
	if (status === "error") throw new ToolError(t("The tool returned an error ({0}).", output.split("\n")[0] ?? ""));
	return output;
}

/** No role and no agent narrows what the person sends themselves; their rules and protected places do. Nothing of it is recorded. */
function personTurn(label: string, { session, signal, confirm }: MentionContext): TurnContext {
	const { sessionId, services, policy, workspace, gate, state, files } = session;
	return {
		sessionId,
		workspace,
		gate,
		services: { ...services, sources: [] },
		policy,
		state,
		agent: PERSON,
		role: EVERYTHING,
		byPerson: true,
		signal,
		background: signal,
		ongoing: new Map(),
		files,
		loopGuard: new LoopGuard(),
		disk: new DiskCache(),
		approved: new SessionApprovals(),
		canAsk: true,
		// A redirect that leads elsewhere is nothing they have named, and nothing to ask in the middle of a message.
		ask: async ({ made, reason }) => ({
			allow: made === undefined && (await confirm(t("Send the contents of {0} to the model?", label), [reason], t("Send"))),
		}),
		runs: () => true,
		callFromShell: async () => ({ status: "denied", output: "Refused: no command runs here." }),
		record: async () => undefined,
		progress: () => undefined,
		prepareEvents: async () => [],
	};
}

type MayRead = (path: string) => Promise<object | { left: string }>;
type EditorResolver = (services: Services, mayRead: MayRead) => Promise<ResolvedMention>;

function resolveEditorMention(kind: EditorMentionKind, services: Services, mayRead: MayRead): Promise<ResolvedMention> {
	return editorResolvers[kind](services, mayRead);
}

const PROBLEMS = 200;
/** Maximum characters of terminal output; the newest are kept. */
const TERMINAL = 30_000;
const SEVERITIES: readonly Diagnostic["severity"][] = ["error", "warning", "info", "hint"];

const editorResolvers: Record<EditorMentionKind, EditorResolver> = {
	async selection({ facts, window: { workspace } }, mayRead) {
		const found = facts.selection();
		if (!found || found.text === "") return { left: t("@selection wasn't included: no text is selected in the editor.") };
		const { path, lines, text } = found;
		const judged = isAbsolute(path) ? await mayRead(path) : {};
		if ("left" in judged && typeof judged.left === "string") return { left: judged.left };
		const shown = isAbsolute(path) ? toDisplayPath(workspace, path) : path;
		const where = { label: "selection", path: shown, lines };
		return { attachment: { kind: "selection", ...where, text: `${shown}, lines ${lines[0]} to ${lines[1]}\n${text}` } };
	},
	async problems({ window: { workspace, gate } }) {
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
	async changes({ facts, window: { gate } }) {
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
	/** Files in this folder and its subfolders. */
	count: number;
}

/** Formats the folder's tree for the model. */
async function formatFolderTree(fact: PathFacts, { workspace, gate }: SessionWorkspace, signal: AbortSignal): Promise<string> {
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
