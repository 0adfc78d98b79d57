// What the editor's room knows of the engine behind it, which is built on first use.
import type { TroupeApi } from "../api.ts";
import type { Chat } from "../app/chat.ts";
import type { Conversations } from "../app/conversations.ts";
import type { Grant } from "../core/gate.ts";
import type { ModelInfo } from "../core/model.ts";
import type { Intent, Update } from "../protocol.ts";

export interface Engine {
	conversations: Conversations;
	api: TroupeApi;
	createChat(post: (update: Update) => void, sessionId?: string): Chat;
	/** The session that was shown last, if it is still there. */
	remembered(): Promise<string | undefined>;
	/** The person now looks at this session. */
	remember(sessionId: string): void;
	/** Undefined where the message is no Intent or larger than `limit` characters as JSON. */
	parseIntent(message: unknown, limit: number): Intent | undefined;
	/** Every model that can be chosen now; providers that do not answer are left out and named in `missing`. */
	models(): Promise<{ models: ModelInfo[]; missing: string[] }>;
	/** Ids of providers that take a key. */
	keyProviders(): string[];
	setKey(provider: string, key: string): Promise<void>;
	grants: { all(): Promise<readonly Grant[]>; revoke(grant: Grant): Promise<void> };
	log(line: string): void;
	dispose(): Promise<void>;
}

/** Loads the engine once, on first use. */
export interface LazyEngine {
	load(): Promise<Engine>;
	/** The engine, if it was loaded already. */
	loaded(): Engine | undefined;
}
