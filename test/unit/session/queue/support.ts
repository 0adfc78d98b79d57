// Test fixture: windows on one folder, turns that wait, and a session's queue events in short.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TranscriptEvent } from "../../../../src/core/events.ts";
import type { Session } from "../../../../src/session/session.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import { type Script, type ScriptedAnswer, type ScriptedModel, scriptedModel } from "../../../fakes/scriptedModel.ts";
import { openTestApp, type TestApp, type TestAppOptions } from "../../../fakes/testApp.ts";
import { closeTestSessions } from "../testSession.ts";

export const READER = { by: "agent:reader", ceiling: ["ReadFiles"], session: "elsewhere" } as const;

const homes: string[] = [];

/** A folder that several windows open, one after the other or at the same time. */
export function newHome(): string {
	const home = mkdtempSync(join(tmpdir(), "troupe-home-"));
	homes.push(home);
	return home;
}

const windows: TestApp[] = [];

/** A window in which no session has been opened. */
export async function newWindow(
	home: string,
	script: Script = [],
	options: Partial<TestAppOptions> = {},
): Promise<TestApp & { model: ScriptedModel }> {
	const model = scriptedModel(script);
	const app = await openTestApp({ ...options, model, home });
	windows.push(app);
	return { ...app, model };
}

export async function cleanUp(): Promise<void> {
	await closeTestSessions();
	await Promise.all(windows.splice(0).map((app) => app.close()));
	for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
}

/** An answer that comes once `open` is called. */
export function holdAnswer(text = "Done."): { answer: ScriptedAnswer; open(): void } {
	const { until, open } = createDeferred();
	return { answer: { text, until }, open };
}

/** What messages and the queue are about, in order: "queued Hi", "user Hi", "unqueued cleared". */
export function story(events: readonly TranscriptEvent[]): string[] {
	return events.flatMap((event) => {
		if (event.type === "queued" || event.type === "user") return [`${event.type} ${event.text}`];
		return event.type === "unqueued" ? [`unqueued ${event.why}`] : [];
	});
}

export function waitingTexts({ waiting }: Session): string[] {
	return waiting.map(({ text }) => text);
}

/** Resolves once the session has recorded such an event, or has already. */
export function recorded(app: TestApp, session: Session, matches: (event: TranscriptEvent) => boolean): Promise<void> {
	return new Promise((resolve) => {
		const listening = app.sessions.listen({
			event(id, event) {
				if (id !== session.sessionId || !matches(event)) return;
				listening.dispose();
				resolve();
			},
		});
		if (!session.state.events.some(matches)) return;
		listening.dispose();
		resolve();
	});
}

/** Resolves once that message was taken by a turn and this has ended. */
export async function answered(app: TestApp, session: Session, text: string): Promise<void> {
	await recorded(app, session, (event) => event.type === "user" && event.text === text);
	const turn = session.state.events.findLast((event) => event.type === "user" && event.text === text)?.turn;
	await recorded(app, session, (event) => event.type === "ended" && event.turn === turn);
}
