// Fixture for everyday features under attack: an app with one session and a user who declines.
import { createHash } from "node:crypto";
import type { MentionContext } from "../../src/chat/mentions/resolveMentions.ts";
import type { Session } from "../../src/session/session.ts";
import { buildHouse, type House, type HouseOptions } from "../fakes/house.ts";
import { type Script, scriptedModel } from "../fakes/scriptedModel.ts";
import { type Arena, arena } from "./arena.ts";

export interface Everyday {
	house: House;
	conversation: Session;
	bringing: MentionContext;
	/** What the person was asked about. */
	asked: string[];
}

/** For the suite that calls it: each test has its own arena and, once it moves in, a house there. Both end with the test. */
export function everyday() {
	let place: Arena;
	let house: House | undefined;
	beforeEach(async () => {
		place = await arena();
	});
	afterEach(async () => {
		await house?.close();
		house = undefined;
		await place.close();
	});

	return {
		get place() {
			return place;
		},
		async move(options: Partial<HouseOptions> & { script?: Script; role?: string } = {}): Promise<Everyday> {
			const { script = [], role = "planner", ...rest } = options;
			house = await buildHouse({ model: scriptedModel(script), home: place.home, ...rest });
			const { sessionId } = await house.sessions.create({ role });
			const session = await house.sessions.get(sessionId);
			const asked: string[] = [];
			const bringing: MentionContext = {
				conversation: session,
				signal: new AbortController().signal,
				confirm: async (question) => {
					asked.push(question);
					return false;
				},
				scale: async (_, bytes) => ({ blob: createHash("sha256").update(bytes).digest("hex"), size: bytes.length, mime: "image/png" }),
			};
			return { house, conversation: session, bringing, asked };
		},
	};
}
