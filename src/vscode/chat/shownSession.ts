// Remembers the session that the user last opened, and shows its role and context keys in the window.
import type * as vscode from "vscode";
import type { EventType } from "../../core/events.ts";
import type { Role } from "../../core/role.ts";
import { getRole } from "../../session/agent/sessionAgent.ts";
import type { Sessions } from "../../sessions/sessions.ts";
import { setContextKeys, setListContextKeys } from "./setContextKeys.ts";

interface ShownSession {
	/** It may be gone. */
	readonly id: string | undefined;
	/** Resolves to undefined if it is gone. */
	find(): Promise<string | undefined>;
	/** Call it when the user opens that session. */
	set(sessionId: string): void;
	dispose(): void;
}

interface ShownOptions {
	state: vscode.Memento;
	sessions: Sessions;
	/** Shows the role in the status bar. */
	setRole(role: Pick<Role, "label" | "icon">): void;
	/** Events that change the context keys. */
	events: Readonly<Record<EventType, boolean>>;
	log(line: string): void;
}

const KEY = "troupe.shown";

export function trackShownSession({ state, sessions, setRole, events, log }: ShownOptions): ShownSession {
	const readId = () => state.get<string>(KEY);
	const unopened = (sessionId: string) => (error: unknown) => log(`the session ${sessionId} could not be opened: ${String(error)}`);
	const listening = sessions.listen({
		event: (sessionId, event) => {
			if (sessionId !== readId()) return;
			if (event.type === "role") setRole(sessions.policy.roles().find(({ id }) => id === event.role) ?? { label: event.role });
			if (events[event.type]) sessions.get(sessionId).then((session) => setContextKeys(session.state), unopened(sessionId));
		},
	});
	return {
		get id() {
			return readId();
		},
		async find() {
			const last = readId();
			return (await sessions.list()).some(({ sessionId }) => sessionId === last) ? last : undefined;
		},
		set(sessionId) {
			// A task's tab leaves the side bar's session as it is.
			sessions
				.find(sessionId)
				.then((summary) => (summary?.kind === "task" ? undefined : state.update(KEY, sessionId)), unopened(sessionId));
			sessions.get(sessionId).then((session) => {
				setRole(getRole(session));
				setContextKeys(session.state);
			}, unopened(sessionId));
			void sessions.list().then((all) => setListContextKeys(all, sessionId));
		},
		dispose: () => listening.dispose(),
	};
}
