// Handles the composer's requests: messages with attachments, images, @ suggestions and slash commands.

import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Attachment, TranscriptEvent } from "../core/events.ts";
import { toAbsolutePath, toDisplayPath } from "../core/paths.ts";
import { UserError } from "../core/userError.ts";
import { keepDraftAttachments, takeDraftAttachments } from "../delegation/switch/draftAttachments.ts";
import { getAgent, getRole } from "../session/agent/sessionAgent.ts";
import { createContextLine } from "../session/prompt/editorContext.ts";
import type { Session } from "../session/session.ts";
import { keepSessionContent, type Message } from "../session/state/message.ts";
import { SessionBlockedError } from "../session/state/sessionBlocked.ts";
import { findEvent } from "../session/transcript/eventLookup.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { t } from "../shared/l10n.ts";
import type { IntentOf, QueuedMessage, Update } from "../shared/protocol/chat.ts";
import type { ChatHost } from "./chatHost.ts";
import { type ComposerImages, createComposerImages } from "./composerImages.ts";
import { formatPathMention } from "./mentions/mention.ts";
import { createMentionSuggester } from "./mentions/mentionSuggester.ts";
import { resolveMentions } from "./mentions/resolveMentions.ts";
import { findSlashCommand, formatUnknownCommand, isSkillCall, parseSlashCommand, type SlashCommandContext } from "./slashCommands.ts";

type Handled = "send" | "stop" | "openAttachment" | "suggest" | "drop" | "withdraw";

export interface Composer {
	acts: ComposerImages["acts"] & { [T in Handled]: (intent: IntentOf<T>) => unknown };
	/** Messages that are still being prepared. */
	gathering(sessionId: string | undefined): QueuedMessage[];
	/** Resolves the mentions of an edited message, with notes for the user. */
	bring(session: Session, text: string): Promise<{ message: Message; notes: string[] }>;
	/** Puts that session's returned messages into the composer, if the composer shows the session. */
	collect(session: string): void;
	dispose(): void;
}

interface ComposerOptions {
	sessions: Sessions;
	host: ChatHost;
	post(update: Update): void;
	refresh(): void;
	/** Returns true if the page's composer currently belongs to that session. */
	shows(session: string): boolean;
	setRole(session: Session, role: string): Promise<boolean>;
	setAgent(session: Session, agent: string): Promise<boolean>;
	show: SlashCommandContext["show"];
}

/** Milliseconds after which a message is shown as being prepared. */
const SHOW_DELAY = 250;

interface Gathering {
	session: string;
	message: QueuedMessage;
	abort: AbortController;
}

export function createComposer({ sessions, host, post, refresh, shows, setRole, setAgent, show }: ComposerOptions): Composer {
	const { services, policy } = sessions;
	const images = createComposerImages({ sessions, host, post });
	const suggester = createMentionSuggester(services);
	const gathering = new Map<string, Gathering>();
	/** Queues by session: messages are sent in order, however long their attachments take. */
	const lines = new Map<string, Promise<unknown>>();
	let suggestionAbort = new AbortController();

	const on = (id: string) => sessions.get(id);

	function returnToComposer(session: string, message: Message): void {
		if (!shows(session)) {
			sessions.returnToComposer(session, message);
			return;
		}
		const { text, images: returned = [] } = message;
		images.give(returned);
		const attached = keepSessionContent(message.attachments);
		if (attached.length > 0) keepDraftAttachments(sessions, session, attached).catch(services.log);
		post({ type: "compose", text, back: { pictures: returned } });
	}

	function collect(session: string): void {
		const message = shows(session) ? sessions.takeReturned(session) : undefined;
		if (message) returnToComposer(session, message);
	}

	async function send({ session: sessionId, text, pictures: named = [] }: IntentOf<"send">): Promise<void> {
		// Captured now because the next steps may take a while.
		const context = createContextLine(services);
		const command = parseSlashCommand(text);
		if (!command || isSkillCall(await on(sessionId), command)) return sendText(await on(sessionId), text.trim(), named, context);
		const effect = findSlashCommand(policy, command);
		if (!effect) {
			returnToComposer(sessionId, { text, images: await images.findExisting(named) });
			return post({ type: "hint", text: formatUnknownCommand(policy, command) });
		}
		let sent = false;
		let declined = false;
		const session = await on(sessionId);
		try {
			await effect({
				rest: command.rest,
				session,
				sessions,
				host,
				show,
				setAgent: (agent) => setAgent(session, agent),
				async setRole(role) {
					declined = !(await setRole(session, role));
					return !declined;
				},
				async fill(text) {
					sent = true;
					returnToComposer(sessionId, { text: text, images: await images.findExisting(named) });
				},
				sendRest(target) {
					sent = true;
					return sendText(target, command.rest, named, context);
				},
			});
		} catch (error) {
			if (!sent) returnToComposer(sessionId, { text, images: await images.findExisting(named) });
			throw error;
		}
		if (!sent && (declined || named.length > 0))
			returnToComposer(sessionId, { text: declined ? text : "", images: await images.findExisting(named) });
	}

	async function sendText(session: Session, text: string, named: readonly string[], context: Promise<string | undefined>): Promise<void> {
		if (text === "" && named.length === 0) return;
		const { sessionId } = session;
		const message: QueuedMessage = { id: randomUUID(), text, pictures: named.length, state: "gathering", own: true };
		const entry: Gathering = { session: sessionId, message, abort: new AbortController() };
		gathering.set(message.id, entry);
		const showing = setTimeout(refresh, SHOW_DELAY);
		let attached: Attachment[] = [];
		const prepared = (lines.get(sessionId) ?? Promise.resolve())
			.catch(() => undefined)
			.then(async () => {
				const resolved = await prepare(session, text, named, entry.abort.signal);
				if (resolved.notes.length > 0) await session.note(resolved.notes.join("\n"));
				const line = await context;
				if (line !== undefined) resolved.message.context = line;
				attached = await takeDraftAttachments(sessions, sessionId);
				if (attached.length > 0) resolved.message.attachments = [...attached, ...(resolved.message.attachments ?? [])];
				return resolved;
			});
		lines.set(sessionId, prepared);
		try {
			const resolved = await prepared;
			clearTimeout(showing);
			gathering.delete(message.id);
			await session.send(resolved.message);
		} catch (error) {
			const inTurn = !gathering.has(message.id) && !(error instanceof SessionBlockedError);
			if (!inTurn) returnToComposer(sessionId, { text, images: await images.findExisting(named), attachments: attached });
			if (!entry.abort.signal.aborted) throw error;
		} finally {
			clearTimeout(showing);
			if (gathering.delete(message.id)) refresh();
			if (lines.get(sessionId) === prepared) lines.delete(sessionId);
		}
	}

	async function prepare(
		session: Session,
		text: string,
		named: readonly string[],
		signal: AbortSignal,
	): Promise<{ message: Message; notes: string[] }> {
		const restricted = services.restricted();
		if (restricted) throw new SessionBlockedError("restricted", restricted);
		signal.throwIfAborted();
		const attached = await images.find(named);
		const scale = (_: string, bytes: Uint8Array) => images.scale(bytes, signal);
		const { attachments, images: mentioned, notes } = await resolveMentions(text, { session, signal, scale, confirm: host.confirm });
		if (mentioned.length > 0) notes.push(...(await imageWarnings(session)));
		const all = [...attached, ...mentioned];
		return { message: { text, ...(all.length > 0 && { images: all }), ...(attachments.length > 0 && { attachments }) }, notes };
	}

	/** Warns about images from mentions; the composer warns only about its own. */
	async function imageWarnings(session: Session): Promise<string[]> {
		const model = await services.model(getAgent(session), getRole(session)).catch(() => undefined);
		return model?.info.images === false ? [t("{0} doesn't support images and can't see the images you mentioned.", model.name)] : [];
	}

	return {
		acts: {
			...images.acts,
			send,
			async stop({ session }) {
				for (const entry of gathering.values()) if (entry.session === session) entry.abort.abort(new Error("Stopped"));
				await (await on(session)).cancel();
			},
			async openAttachment({ session, event: id, index }) {
				const pick = (event: TranscriptEvent) => (event.id === id && event.type === "user" ? event.attachments?.[index] : undefined);
				const attachment = await findEvent(await on(session), pick);
				if (!attachment) throw new UserError(t("This attachment is no longer in the session."));
				const { kind, path, lines: range, text } = attachment;
				if (kind === "url") return host.openLink(path ?? "");
				if (path === undefined || kind === "folder") await host.openText(text);
				else await host.openFile(toAbsolutePath((await on(session)).workspace, path), range?.[0]);
			},
			async suggest({ ask, query }) {
				suggestionAbort.abort();
				suggestionAbort = new AbortController();
				const { signal } = suggestionAbort;
				// Restricted Mode must not start anything, and listing files starts a program.
				if (services.restricted()) return post({ type: "suggestions", ask, items: [] });
				await suggester.suggest(query, signal, (items) => {
					if (!signal.aborted) post({ type: "suggestions", ask, items });
				});
			},
			drop({ uris }) {
				const paths = uris.flatMap((uri) => pathFromUri(uri) ?? []);
				if (paths.length === 0)
					return post({ type: "hint", text: t("The dropped item isn't a file on this workspace's machine. Nothing was attached.") });
				post({
					type: "compose",
					text: `${paths.map((path) => formatPathMention(toDisplayPath(services.window.workspace, path))).join(" ")} `,
				});
			},
			async withdraw({ session, id }) {
				const entry = gathering.get(id);
				if (entry) return entry.abort.abort(new Error("Withdrawn"));
				const message = await (await on(session)).withdraw(id);
				if (message) returnToComposer(session, message);
			},
		},
		bring: (session, text) => prepare(session, text, [], new AbortController().signal),
		gathering: (sessionId) => [...gathering.values()].filter(({ session }) => session === sessionId).map(({ message }) => message),
		collect,
		dispose() {
			suggestionAbort.abort();
			for (const { abort } of gathering.values()) abort.abort(new Error("Closed"));
		},
	};
}

/** The path of a file URI of this window, including remote ones: the extension runs where the files are. */
function pathFromUri(uri: string): string | undefined {
	if (!URL.canParse(uri)) return undefined;
	const url = new URL(uri);
	if (url.protocol === "file:") return fileURLToPath(url);
	return url.protocol === "vscode-remote:" ? decodeURIComponent(url.pathname) : undefined;
}
