// A session for rewind tests: files, a user who answers prompts, and a composer without attachments.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ChatHost } from "../../../src/chat/chatHost.ts";
import { createRewindActions } from "../../../src/chat/historyActions.ts";
import type { EventOf, FileChange } from "../../../src/core/events.ts";
import type { ModelRequest } from "../../../src/core/ports/model.ts";
import { visibleEvents } from "../../../src/core/transcript/fold.ts";
import type { Message } from "../../../src/session/state/message.ts";
import type { Script } from "../../fakes/scriptedModel.ts";
import { openTestSession, type TestSession } from "./testSession.ts";

export interface TestRewind extends TestSession {
	acts: ReturnType<typeof createRewindActions>;
	host: ReturnType<typeof rewindHost>;
	say(text: string): Promise<unknown>;
	text(path: string): string | undefined;
	write(path: string, content: string): void;
	/** What the person has said that still counts. */
	said(): string[];
	id(text: string): string;
	last(): EventOf<"status">;
}

export async function openRewind(script: Script, options: Parameters<typeof openTestSession>[1] = {}): Promise<TestRewind> {
	const set = await openTestSession(script, { files: FILES, role: "actor", settings: { approval: "auto" }, ...options });
	const { session, app } = set;
	const host = rewindHost();
	const at = (path: string) => join(app.folder, path);
	// What deletes asks in every mode.
	app.sessions.listen({
		event(_, event) {
			if (event.type !== "asked") return;
			set.clock.ahead += 1_000;
			void session.answer(event.request, { allow: true }, "person", event.hash);
		},
	});
	return {
		...set,
		host,
		acts: createRewindActions({
			on: async () => session,
			host,
			bring: composing,
			returnToComposer: (id, message) => app.sessions.returnToComposer(id, message),
		}),
		say: (text) => session.send(text),
		text: (path) => (existsSync(at(path)) ? readFileSync(at(path), "utf8") : undefined),
		write(path, content) {
			mkdirSync(dirname(at(path)), { recursive: true });
			writeFileSync(at(path), content);
		},
		said: () => visibleEvents(session.state).flatMap((event) => (event.type === "user" ? [event.text] : [])),
		id: (text) => session.state.events.find((event) => event.type === "user" && event.text === text)?.id ?? assert.fail(text),
		last: () => session.state.events.findLast((event) => event.type === "status") as EventOf<"status">,
	};
}

export const FILES = { "a.txt": "one\ntwo\n", "gone.txt": "to be deleted\n", "old.txt": "to be moved\n" };
export const edit = (path: string, old: string, words: string) => ({ name: "update_file", input: { path, old, new: words } });

export const session = "s";
export const saidTo = ({ events }: ModelRequest) => events.flatMap((event) => (event.type === "user" ? [event.text] : []));

export function change({ session }: TestSession, kind: "change"): FileChange {
	const result = session.state.events.find((event) => event.type === "result" && event.view?.kind === kind) as EventOf<"result">;
	return (result.view?.kind === "change" ? result.view.changes[0] : undefined) ?? assert.fail();
}

export interface Person {
	/** The button that is pressed; undefined closes the dialogue. */
	answer: string | undefined;
	asked: { text: string; detail: string; buttons: readonly string[] }[];
	choose: ChatHost["choose"];
	copy(text: string): Promise<void>;
}

export function rewindHost(): Person {
	const person: Person = {
		answer: undefined,
		asked: [],
		async choose(text, lines, choices) {
			person.asked.push({ text, detail: lines.join("\n"), buttons: choices.map(({ label }) => label) });
			return choices.find(({ label }) => label === person.answer)?.value;
		},
		copy: async () => undefined,
	};
	return person;
}

export async function composing(_: unknown, text: string): Promise<{ message: Message; notes: string[] }> {
	return { message: { text }, notes: [] };
}
