// Test fixture: a chat that shows a session with background tasks.
import type { ChatHost } from "../../../src/chat/chatHost.ts";
import { type ChatController, createChatController } from "../../../src/chat/controller.ts";
import { type Intent, IntentSchema, type Update, type WiderRoleOffer } from "../../../src/shared/protocol/chat.ts";
import type { TestTasks } from "../delegation/tasks/testTasks.ts";

type Called = Extract<Update, { type: "called" }>;

const chats: ChatController[] = [];

export function closeChats(): void {
	for (const chat of chats.splice(0)) chat.dispose();
}

/** A chat that shows a session, the calling one if none is named. */
export async function chatOn({ app, caller, clock }: TestTasks, sessionId = caller.sessionId) {
	const updates: Update[] = [];
	const problems: string[] = [];
	let look: () => void = () => undefined;
	const host: Partial<ChatHost> = {
		post(update) {
			updates.push(structuredClone(update));
			look();
		},
		shown: () => undefined,
		health: () => undefined,
		focusedFor: async () => 10_000,
		pageFocus: () => undefined,
		notify: (_, text) => void problems.push(text),
		confirm: async () => true,
	};
	const chat = createChatController(app, host as ChatHost, sessionId);
	chats.push(chat);
	await chat.handle({ type: "ready" });
	const first = <Found>(find: (update: Update) => Found | undefined) =>
		new Promise<Found>((resolve) => {
			look = () => {
				const found = updates.map(find).findLast((each) => each !== undefined);
				if (found !== undefined) resolve(found);
			};
			look();
		});
	const called = <Found>(find: (update: Called) => Found | undefined) =>
		first((update) => (update.type === "called" ? find(update) : undefined));
	const act = (intent: Intent) => chat.handle(IntentSchema.parse(intent));
	const token = () => updates.findLast((update) => update.type === "snapshot" || update.type === "token")?.token ?? "";
	const status = () => updates.findLast((update) => update.type === "status" || update.type === "snapshot")?.status;
	/** The first status that links to that session. */
	const linking = (to: string) =>
		first((update) => {
			const known = update.type === "status" || update.type === "snapshot" ? update.status : undefined;
			return known?.linked?.[to] === undefined ? undefined : known;
		});
	/** The first status whose offer of a wider role fits. */
	const offer = (fits: (offer: WiderRoleOffer | undefined) => boolean = (found) => found !== undefined) =>
		first((update) => {
			const known = update.type === "status" || update.type === "snapshot" ? update.status : undefined;
			return known && fits(known.wider?.[0]) ? { offer: known.wider?.[0] } : undefined;
		}).then(({ offer: found }) => found);
	const later = () => {
		clock.ahead += 1_000;
	};
	return { chat, updates, problems, called, act, token, status, linking, offer, later, session: sessionId };
}
