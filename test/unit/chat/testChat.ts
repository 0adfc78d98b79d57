// Session and chat controller for composer tests, with a user and an editor that record their calls.

import type { ChatHost } from "../../../src/chat/chatHost.ts";
import { type ChatController, createChatController } from "../../../src/chat/controller.ts";
import type { EventOf } from "../../../src/core/events.ts";
import { type Intent, IntentSchema, type Update } from "../../../src/shared/protocol/chat.ts";
import type { Script } from "../../fakes/scriptedModel.ts";
import type { TestAppOptions } from "../../fakes/testApp.ts";
import { closeTestSessions, FILES, openTestSession, type TestSession } from "../session/testSession.ts";

export interface TestChat extends TestSession {
	chat: ChatController;
	updates: Update[];
	did: string[];
	/** What the person answers to dialogs; `cancel` presses Cancel of what runs, once it has begun. */
	says: { confirm: boolean; choose: boolean; cancel?: Promise<unknown> };
	/** Resolves with the first update of that type that was or is posted and fits. */
	update<T extends Update["type"]>(
		type: T,
		fits?: (update: Extract<Update, { type: T }>) => boolean,
	): Promise<Extract<Update, { type: T }>>;
	act(intent: Intent): Promise<void>;
	send(text: string, pictures?: string[]): Promise<void>;
}

const chats: ChatController[] = [];

export async function open(script: Script = [], options: Partial<TestAppOptions> & { role?: string } = {}): Promise<TestChat> {
	const setup = await openTestSession(script, { files: FILES, ...options });
	const updates: Update[] = [];
	const waiting = new Set<() => void>();
	const did: string[] = [];
	const says: TestChat["says"] = { confirm: true, choose: false };
	const note =
		(what: string) =>
		async (...words: unknown[]) =>
			void did.push([what, ...words.filter((word) => typeof word === "string")].join(" "));
	const host: Partial<ChatHost> = {
		post(update) {
			updates.push(structuredClone(update));
			for (const look of [...waiting]) look();
		},
		shown: () => undefined,
		health: () => undefined,
		focusedFor: async () => 10_000,
		pageFocus: () => undefined,
		async confirm(text) {
			did.push(`confirm ${text}`);
			return says.confirm;
		},
		async choose(text, _, choices) {
			did.push(`choose ${text} [${choices.map(({ label }) => label).join()}]`);
			return says.choose ? choices[0]?.value : undefined;
		},
		async progress(title, run) {
			did.push(title);
			const abort = new AbortController();
			says.cancel?.then(() => abort.abort());
			return run(abort.signal);
		},
		notify: (level, text) => did.push(`${level}: ${text}`),
		pickRole: async () => undefined,
		pickAgent: async () => undefined,
		exportSession: note("export"),
		save: note("save"),
		openFile: async (path, line) => void did.push(`openFile ${path} ${line ?? ""}`),
		openImage: note("openPicture"),
		openDiff: note("openDiff"),
		openText: note("openText"),
		showTerminal: () => undefined,
		openLink: note("openLink"),
		command: (command) => did.push(`command ${command}`),
	};
	const chat = createChatController(setup.app, host as ChatHost);
	chats.push(chat);
	await chat.handle({ type: "ready" });
	const update: TestChat["update"] = (type, fits = () => true) =>
		new Promise((resolve) => {
			const look = () => {
				const found = updates.find((candidate) => candidate.type === type && fits(candidate as never));
				if (!found) return;
				waiting.delete(look);
				resolve(found as never);
			};
			waiting.add(look);
			look();
		});
	const act = (intent: Intent) => chat.handle(IntentSchema.parse(intent));
	const session = setup.summary.sessionId;
	const send = (text: string, pictures?: string[]) => act({ type: "send", session, text, ...(pictures && { pictures }) });
	return { ...setup, chat, updates, did, says, update, act, send };
}

/** Ends what a test has opened. */
export async function leave(): Promise<void> {
	for (const chat of chats.splice(0)) chat.dispose();
	await closeTestSessions();
}

export const users = ({ session }: TestChat): EventOf<"user">[] => session.state.events.filter((event) => event.type === "user");
export const notes = ({ session }: TestChat): string[] =>
	session.state.events.flatMap((event) => (event.type === "status" ? [event.text] : []));
