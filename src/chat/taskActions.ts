// Stops and continues background tasks for the user, also in a wider role of the session that started them.

import { UserError } from "../core/userError.ts";
import { continueAs } from "../delegation/tasks/continueAs.ts";
import { TaskRefusal, toShownRefusal } from "../delegation/tasks/taskRefusal.ts";
import type { Tasks } from "../delegation/tasks/tasks.ts";
import type { Session } from "../session/session.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { t } from "../shared/l10n.ts";
import type { IntentOf } from "../shared/protocol/chat.ts";

interface Parts {
	sessions: Sessions;
	tasks: Tasks;
	/** Throws unless the user pressed a button of the page. */
	useToken(given: string): Promise<void>;
	/** Switches the role as the user does in the chat; resolves to false if they decline. */
	setRole(session: Session, role: string): Promise<boolean>;
}

export function createTaskActions({ sessions, tasks, useToken, setRole }: Parts) {
	return {
		async stopTask({ session, task }: IntentOf<"stopTask">) {
			await toShownRefusal("stop", tasks.stop(requireTask(await sessions.get(session), task)));
		},
		async continueTask({ session, task }: IntentOf<"continueTask">) {
			const continued = tasks.continue(requireTask(await sessions.get(session), task));
			await toShownRefusal("continue", continued.catch(ignoreOpen));
		},
		async continueTaskAs({ session, task, role, token }: IntentOf<"continueTaskAs">) {
			await useToken(token);
			if (session !== task) requireTask(await sessions.get(session), task);
			await continueAs(sessions, tasks, { task, role, switchRole: setRole });
		},
	};
}

/** The id of a task that the session started. */
function requireTask({ state }: Session, task: string): string {
	if (state.tasks.has(task)) return task;
	throw new UserError(t("This task no longer exists."));
}

/** Ignores that the task already runs, because that is what the user wants, for instance with a second click. */
function ignoreOpen(error: unknown): void {
	if (!(error instanceof TaskRefusal) || error.reason !== "open") throw error;
}
