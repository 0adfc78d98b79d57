// Runs a tool call up to its approval and beyond, with the real gate, tools and files.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { toDisplayEvent } from "../../../src/chat/eventPages.ts";
import type { DisplayEvent } from "../../../src/shared/protocol/chat.ts";
import { closeTestSessions, openTestSession } from "../../unit/session/testSession.ts";

interface Request {
	name: string;
	input: unknown;
}

interface Approval {
	/** Up to the approval. */
	events: DisplayEvent[];
	/** Allows the call, waits for the end, and reads a file of the workspace. */
	allowed(path: string): Promise<Buffer | undefined>;
	close(): Promise<void>;
}

/** `files` are in the workspace before, by path. */
export async function requestApproval(call: Request, files: Record<string, string> = {}): Promise<Approval> {
	const settings = { approval: "ask" as const };
	const setup = await openTestSession([{ calls: [call] }, { text: "Done." }], { files, role: "actor", settings });
	const turn = setup.session.send("Do it");
	await setup.event("asked");
	return {
		events: setup.session.state.events.map(toDisplayEvent),
		async allowed(path) {
			await setup.answer({ allow: true });
			await turn;
			const whole = join(setup.app.folder, path);
			return existsSync(whole) ? readFileSync(whole) : undefined;
		},
		async close() {
			await setup.session.cancel();
			await turn;
			await closeTestSessions();
		},
	};
}
