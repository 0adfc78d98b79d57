// Random walks through the product: numbers that are the same each time, and the moment when nothing goes on.
import { createDeferred } from "../fakes/deferred.ts";
import type { TestApp } from "../fakes/testApp.ts";

/** The same sequence for the same seed. */
export function chooser(seed: number) {
	let state = seed;
	const next = (): number => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
	return { next, of: <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)] as T };
}

export type Chooser = ReturnType<typeof chooser>;

/** Resolves once nothing runs or waits in the session, and if wanted no task works. */
export async function quiet({ sessions, delegation, store }: TestApp, sessionId: string, tasks?: "tasks too"): Promise<void> {
	for (;;) {
		const session = await sessions.get(sessionId);
		const changed = createDeferred();
		const listening = sessions.listen({ changed: () => changed.open(), event: () => changed.open() });
		if (tasks) await delegation.tasks.whenSettled();
		const open = tasks !== undefined && (await store.list("task")).some(({ task }) => task && ["queued", "running"].includes(task.state));
		const isQuiet = !open && !session.isRunning && session.queued.length === 0;
		if (!isQuiet) await changed.until;
		listening.dispose();
		if (isQuiet) return;
	}
}
