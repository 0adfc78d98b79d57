// What the page is told of a tool call that asks: real gate, real tools, real files, up to the card and beyond its yes.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toDisplayEvent } from "../../src/chat/eventPages.ts";
import type { DisplayEvent } from "../../src/shared/protocol/chat.ts";
import { stage, strike } from "../unit/session/stage.ts";

interface Call {
	name: string;
	input: unknown;
}

interface Asked {
	/** Up to the card. */
	events: DisplayEvent[];
	/** Says yes, waits for the end, and reads what is then in a file of the workspace. */
	allowed(path: string): Promise<Buffer | undefined>;
	close(): Promise<void>;
}

/** `files` are in the workspace before. */
export async function askedAbout(call: Call, files: Record<string, string> = {}): Promise<Asked> {
	const settings = { approval: "ask" as const };
	const scene = await stage([{ calls: [call] }, { text: "Done." }], { files, role: "actor", settings });
	const turn = scene.conversation.send("Do it");
	await scene.event("asked");
	return {
		events: scene.conversation.state.events.map(toDisplayEvent),
		async allowed(path) {
			await scene.answer({ allow: true });
			await turn;
			const whole = join(scene.house.folder, path);
			return existsSync(whole) ? readFileSync(whole) : undefined;
		},
		async close() {
			await scene.conversation.cancel();
			await turn;
			await strike();
		},
	};
}
