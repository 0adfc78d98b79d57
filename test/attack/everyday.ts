// Fixture for everyday features under attack: an app with one session and a user who declines.
import { createHash } from "node:crypto";
import type { MentionContext } from "../../src/chat/mentions/resolveMentions.ts";
import type { Session } from "../../src/session/session.ts";
import { type Script, scriptedModel } from "../fakes/scriptedModel.ts";
import { openTestApp, type TestApp, type TestAppOptions } from "../fakes/testApp.ts";
import { type Arena, arena } from "./arena.ts";

export interface Everyday {
	app: TestApp;
	session: Session;
	bringing: MentionContext;
	/** What the person was asked about. */
	asked: string[];
}

/** For the suite that calls it: each test has its own arena and, once it moves in, an app there. Both end with the test. */
export function everyday() {
	let place: Arena;
	let app: TestApp | undefined;
	beforeEach(async () => {
		place = await arena();
	});
	afterEach(async () => {
		await app?.close();
		app = undefined;
		await place.close();
	});

	return {
		get place() {
			return place;
		},
		async move(options: Partial<TestAppOptions> & { script?: Script; role?: string } = {}): Promise<Everyday> {
			const { script = [], role = "planner", ...rest } = options;
			app = await openTestApp({ model: scriptedModel(script), home: place.home, ...rest });
			const { sessionId } = await app.sessions.create({ role });
			const session = await app.sessions.get(sessionId);
			const asked: string[] = [];
			const bringing: MentionContext = {
				session,
				signal: new AbortController().signal,
				confirm: async (question) => {
					asked.push(question);
					return false;
				},
				scale: async (_, bytes) => ({ blob: createHash("sha256").update(bytes).digest("hex"), size: bytes.length, mime: "image/png" }),
			};
			return { app, session, bringing, asked };
		},
	};
}
