// Handles the composer's requests: messages with attachments, images, @ suggestions and slash commands.
import { randomUUID } from "node:crypto";
import type { BlobRef, TranscriptEvent } from "../core/events.ts";
import { pathFromUri, toAbsolutePath, toDisplayPath } from "../session/displayPaths.ts";
import { findEvent } from "../session/eventLookup.ts";
import { MAX_IMAGE_BYTES, MessageImages, toWebviewImage } from "../session/images.ts";
import { SessionBlockedError } from "../session/lease.ts";
import type { Message } from "../session/messageQueue.ts";
import { createContextLine } from "../session/prompt/editorContext.ts";
import type { Session } from "../session/session.ts";
import { getAgent, getRole } from "../session/sessionAgent.ts";
import type { Sessions } from "../session/sessions.ts";
import { t } from "../shared/l10n.ts";
import type { Intent, QueuedMessage, Update } from "../shared/protocol/chat.ts";
import type { ChatHost } from "./chatHost.ts";
import { formatPathMention } from "./mentions/mention.ts";
import { createMentionSuggester } from "./mentions/mentionSuggester.ts";
import { resolveMentions } from "./mentions/resolveMentions.ts";
import { findSlashCommand, formatUnknownCommand, isSkillCall, parseSlashCommand, type SlashCommandContext } from "./slashCommands.ts";

const TAKEN = [
	"send",
	"stop",
	"picture",
	"noPicture",
	"showPicture",
	"openPicture",
	"openAttachment",
	"suggest",
	"drop",
	"takeBack",
] as const;
type Taken = (typeof TAKEN)[number];
type Of<T extends Intent["type"]> = Extract<Intent, { type: T }>;

export interface Composer {
	acts: { [T in Taken]: (intent: Of<T>) => unknown };
	/** Messages that are on their way into a session. */
	gathering(sessionId: string | undefined): QueuedMessage[];
	/** The mentions of words that are sent anew, and what the person should know of them. */
	bring(conversation: Session, text: string): Promise<{ message: Message; notes: string[] }>;
	/** Puts messages of that session that no turn took into the composer, where it is that session's. */
	collect(session: string): void;
	dispose(): void;
}

interface Parts {
	conversations: Sessions;
	host: ChatHost;
	post(update: Update): void;
	refresh(): void;
	/** The page's composer is that session's now. */
	shows(session: string): boolean;
	setRole(conversation: Session, role: string): Promise<boolean>;
	setAgent(conversation: Session, agent: string): Promise<boolean>;
	show: SlashCommandContext["show"];
}

/** Milliseconds that the page has to make a picture smaller, and after which a message says that it is being prepared. */
const SCALING = 15_000;
const SHOWN_AFTER = 250;

interface Gathering {
	session: string;
	message: QueuedMessage;
	abort: AbortController;
}

export function createComposer({ conversations: sessions, host, post, refresh, shows, setRole, setAgent, show }: Parts): Composer {
	const { services } = sessions;
	const pictures = new MessageImages(services.blobs);
	const suggester = createMentionSuggester(services);
	const gathering = new Map<string, Gathering>();
	/** By session: messages reach it in the order they were sent, whatever they bring along. */
	const lines = new Map<string, Promise<unknown>>();
	const scaling = new Map<string, { resolve(ref: Promise<BlobRef>): void; reject(why: Error): void }>();
	let asking = new AbortController();

	const on = (id: string) => sessions.get(id);

	function giveBack(session: string, message: Message): void {
		if (!shows(session)) {
			sessions.giveBack(session, message);
			return;
		}
		const { text, images = [] } = message;
		pictures.give(images);
		post({ type: "compose", text, back: { pictures: images } });
	}

	function collect(session: string): void {
		const message = shows(session) ? sessions.takeReturned(session) : undefined;
		if (message) giveBack(session, message);
	}

	async function send({ session, text, pictures: named = [] }: Of<"send">): Promise<void> {
		// As it is now: whatever comes next may take a while.
		const context = createContextLine(services);
		const command = parseSlashCommand(text);
		if (!command || isSkillCall(await on(session), command)) return sendWords(await on(session), text.trim(), named, context);
		const effect = findSlashCommand(services, command);
		if (!effect) {
			giveBack(session, { text, images: await found(named) });
			return post({ type: "hint", text: formatUnknownCommand(services, command) });
		}
		let sent = false;
		let declined = false;
		const conversation = await on(session);
		try {
			await effect({
				rest: command.rest,
				conversation,
				conversations: sessions,
				host,
				show,
				setAgent: (agent) => setAgent(conversation, agent),
				async setRole(role) {
					declined = !(await setRole(conversation, role));
					return !declined;
				},
				async fill(words) {
					sent = true;
					giveBack(session, { text: words, images: await found(named) });
				},
				sendRest(target) {
					sent = true;
					return sendWords(target, command.rest, named, context);
				},
			});
		} catch (error) {
			if (!sent) giveBack(session, { text, images: await found(named) });
			throw error;
		}
		if (!sent && (declined || named.length > 0)) giveBack(session, { text: declined ? text : "", images: await found(named) });
	}

	async function sendWords(
		conversation: Session,
		text: string,
		named: readonly string[],
		context: Promise<string | undefined>,
	): Promise<void> {
		if (text === "" && named.length === 0) return;
		const { sessionId } = conversation;
		const message: QueuedMessage = { id: randomUUID(), text, pictures: named.length, state: "gathering", own: true };
		const entry: Gathering = { session: sessionId, message, abort: new AbortController() };
		gathering.set(message.id, entry);
		const showing = setTimeout(refresh, SHOWN_AFTER);
		const prepared = (lines.get(sessionId) ?? Promise.resolve())
			.catch(() => undefined)
			.then(async () => {
				const whole = await prepare(conversation, text, named, entry.abort.signal);
				if (whole.notes.length > 0) await conversation.note(whole.notes.join("\n"));
				const line = await context;
				if (line !== undefined) whole.message.context = line;
				return whole;
			});
		lines.set(sessionId, prepared);
		try {
			const whole = await prepared;
			clearTimeout(showing);
			gathering.delete(message.id);
			await conversation.send(whole.message);
		} catch (error) {
			const inTurn = !gathering.has(message.id) && !(error instanceof SessionBlockedError);
			if (!inTurn) giveBack(sessionId, { text, images: await found(named) });
			if (!entry.abort.signal.aborted) throw error;
		} finally {
			clearTimeout(showing);
			if (gathering.delete(message.id)) refresh();
			if (lines.get(sessionId) === prepared) lines.delete(sessionId);
		}
	}

	async function prepare(
		conversation: Session,
		text: string,
		named: readonly string[],
		signal: AbortSignal,
	): Promise<{ message: Message; notes: string[] }> {
		const restricted = services.restricted();
		if (restricted) throw new SessionBlockedError("restricted", restricted);
		signal.throwIfAborted();
		const own = await Promise.all(named.map((name) => pictures.find(name)));
		const scale = (_: string, bytes: Uint8Array) => scaled(bytes, signal);
		const { attachments, images, notes } = await resolveMentions(text, { conversation, signal, scale, confirm: host.confirm });
		if (images.length > 0) notes.push(...(await blindTo(conversation)));
		const all = [...own, ...images];
		return { message: { text, ...(all.length > 0 && { images: all }), ...(attachments.length > 0 && { attachments }) }, notes };
	}

	/** Pictures that come by a mention are not in the composer, where their like is warned of. */
	async function blindTo(conversation: Session): Promise<string[]> {
		const model = await services.model(getAgent(conversation), getRole(conversation)).catch(() => undefined);
		return model?.info.images === false ? [t("{0} doesn't support images and can't see the images you mentioned.", model.name)] : [];
	}

	/** Pictures that can still be found: what goes back to the composer need not be whole. */
	async function found(named: readonly string[]): Promise<BlobRef[]> {
		const all = await Promise.allSettled(named.map((name) => pictures.find(name)));
		return all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
	}

	/** Only the page has the means to make pictures smaller. */
	async function scaled(bytes: Uint8Array, signal: AbortSignal): Promise<BlobRef> {
		const key = `scale-${randomUUID()}`;
		const late = AbortSignal.timeout(SCALING);
		try {
			return await new Promise<BlobRef>((resolve, reject) => {
				scaling.set(key, { resolve, reject });
				for (const stop of [signal, late]) stop.addEventListener("abort", () => reject(stop.reason as Error), { once: true });
				post({ type: "scale", key, ...toWebviewImage(bytes) });
			});
		} catch (error) {
			if (!late.aborted || signal.aborted) throw error;
			if (bytes.length <= MAX_IMAGE_BYTES) return pictures.keep(bytes);
			throw new Error(t("Resizing the image took too long. Attach the image with the button instead."));
		} finally {
			scaling.delete(key);
		}
	}

	async function takePicture({ key, data }: Of<"picture">): Promise<void> {
		const kept = pictures.take(key, data);
		const wanted = scaling.get(key);
		if (wanted) return wanted.resolve(kept);
		try {
			post({ type: "pictureKept", key, kept: await kept });
		} catch (error) {
			post({ type: "pictureKept", key, kept: { refused: error instanceof Error ? error.message : String(error) } });
		}
	}

	return {
		acts: {
			send,
			async stop({ session }) {
				for (const entry of gathering.values()) if (entry.session === session) entry.abort.abort(new Error("Stopped"));
				await (await on(session)).cancel();
			},
			picture: takePicture,
			noPicture: ({ key, why }) => scaling.get(key)?.reject(new Error(why)),
			async showPicture({ session, blob }) {
				const { mime = "", bytes } = (await pictures.show(blob, await on(session))) ?? {};
				post({ type: "picture", blob, mime, data: bytes ? Buffer.from(bytes).toString("base64") : "" });
			},
			async openPicture({ session, blob }) {
				const shown = await pictures.show(blob, await on(session));
				if (!shown) throw new Error(t("The image no longer exists."));
				await host.openPicture(blob, shown.mime);
			},
			async openAttachment({ session, event: id, index }) {
				const pick = (event: TranscriptEvent) => (event.id === id && event.type === "user" ? event.attachments?.[index] : undefined);
				const attachment = await findEvent(await on(session), pick);
				if (!attachment) throw new Error(t("This attachment is no longer in the session."));
				const { kind, path, lines: range, text } = attachment;
				if (kind === "url") return host.openLink(path ?? "");
				if (path === undefined || kind === "folder") await host.openText(text);
				else await host.openFile(toAbsolutePath(services.workspace, path), range?.[0]);
			},
			async suggest({ ask, query }) {
				asking.abort();
				asking = new AbortController();
				const { signal } = asking;
				// In Restricted Mode nothing is started, and looking for files starts a program.
				if (services.restricted()) return post({ type: "suggestions", ask, items: [] });
				await suggester.suggest(query, signal, (items) => {
					if (!signal.aborted) post({ type: "suggestions", ask, items });
				});
			},
			drop({ uris }) {
				const paths = uris.flatMap((uri) => pathFromUri(uri) ?? []);
				if (paths.length === 0)
					return post({ type: "hint", text: t("The dropped item isn't a file on this workspace's machine. Nothing was attached.") });
				post({ type: "compose", text: `${paths.map((path) => formatPathMention(toDisplayPath(services.workspace, path))).join(" ")} ` });
			},
			async takeBack({ session, id }) {
				const entry = gathering.get(id);
				if (entry) return entry.abort.abort(new Error("Taken back"));
				const message = (await on(session)).takeBack(id);
				if (message) giveBack(session, message);
			},
		},
		bring: (conversation, text) => prepare(conversation, text, [], new AbortController().signal),
		gathering: (sessionId) => [...gathering.values()].filter(({ session }) => session === sessionId).map(({ message }) => message),
		collect,
		dispose() {
			asking.abort();
			for (const { abort } of gathering.values()) abort.abort(new Error("Closed"));
		},
	};
}
