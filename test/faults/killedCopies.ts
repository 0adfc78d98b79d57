// Reports when killed processes make and apply copies of the workspace, and looks for what is left.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { EventOf, SessionSummary } from "../../src/core/events.ts";
import { isTaskIdle } from "../../src/core/task.ts";
import type { Session } from "../../src/session/session.ts";
import { sha256 } from "../../src/shared/node/hash.ts";
import { copiesFolder } from "../../src/storage/sessions/sessionPaths.ts";
import type { TestApp } from "../fakes/testApp.ts";

const copiesOf = ({ services }: TestApp) => {
	if (!services.copies) throw new Error("There are no copies here.");
	return services.copies;
};

/** Reports when a copy is about to be made, and when a file is about to be written to the workspace. */
export function reportCopies(app: TestApp, report: (moment: "copying" | "taking") => void): void {
	const copies = copiesOf(app);
	const { create, beginWrite } = copies;
	copies.create = (...given) => {
		report("copying");
		return create(...given);
	};
	copies.beginWrite = (...given) => {
		report("taking");
		return beginWrite(...given);
	};
}

/** A person who takes all that idle tasks have changed, also for windows before this one. */
export function takeChanges({ sessions, delegation, store }: TestApp): void {
	const taking = new Set<string>();
	const { applyChanges } = delegation.tasks;
	const take = async (id: string): Promise<void> => {
		const { shown, changes } = await applyChanges.list(id);
		if (changes.length > 0) await applyChanges.take(id, { shown });
	};
	const look = async (): Promise<void> => {
		for (const { sessionId: id, task } of await store.list("task")) {
			if (!task?.copied || !isTaskIdle(task.state) || taking.has(id)) continue;
			taking.add(id);
			take(id)
				.catch(() => undefined)
				.finally(() => taking.delete(id));
		}
	};
	sessions.listen({ changed: () => void look().catch(console.error) });
	void look().catch(console.error);
}

/** One sentence for each thing that must not be, once what killed processes left was recovered. */
export async function copyTrouble(app: TestApp, callers: readonly Session[], tasks: readonly SessionSummary[]): Promise<string[]> {
	const copied = new Set(tasks.filter(({ task }) => task?.copied).map(({ sessionId }) => sessionId));
	const root = copiesFolder(join(app.storage, "..", "global"), app.storage);
	const names = existsSync(root) ? readdirSync(root) : [];
	const trouble = names.filter((name) => !copied.has(name)).map((name) => `the copy ${name} belongs to no task`);
	for (const id of copied) {
		const caller = callers.find(({ sessionId }) => tasks.find((task) => task.sessionId === id)?.task?.caller.session === sessionId);
		if (caller) trouble.push(...(await takenTrouble(app, caller, id)).map((what) => `copy of ${id}: ${what}`));
	}
	return [...trouble, ...sharedFileTrouble(app, callers)];
}

/** Each file that the task made is either in the copy, or taken, and then noted once. */
async function takenTrouble(app: TestApp, caller: Session, id: string): Promise<string[]> {
	const copies = copiesOf(app);
	const copy = await copies.find(id);
	const untaken = copy ? (await copies.changes(copy)).changes.map(({ path }) => path) : [];
	const open = copy ? (await copies.openWrites(copy)).size : 0;
	const { state } = await app.sessions.get(id);
	const made = [...state.calls.values()].filter(({ call, result }) => call.name === "create_file" && result?.status === "ok");
	return [
		...(open > 0 ? [`${open} writes to the workspace are not recorded`] : []),
		...made.flatMap(({ call }) => {
			const { path, content } = call.input as { path: string; content: string };
			const now = readNow(app, path);
			const noted = notesOf(caller).filter((change) => change.path === path).length;
			const said = caller.state.events.some((event) => event.type === "status" && event.text.startsWith(`${path} may have been taken`));
			if (now === content) return noted === 1 ? [] : [`${path} was taken, and this was noted ${noted} times`];
			if (now !== undefined) return said ? [] : [`${path} was half taken, and nobody says so`];
			if (noted > 0) return [`${path} was not taken, and this was noted as taken`];
			return untaken.includes(path) ? [] : [`${path} is neither in the copy nor in the workspace`];
		}),
	];
}

/** The file that all tasks change is as it was, as it was noted last, or the person is told. */
function sharedFileTrouble(app: TestApp, callers: readonly Session[]): string[] {
	const now = readNow(app, "README.md") ?? "";
	const events = callers.flatMap(({ state }) => state.events);
	const isSaid = events.some((event) => event.type === "status" && event.text.startsWith("README.md may have been taken"));
	const noted = callers.flatMap(notesOf).filter(({ path }) => path === "README.md");
	const isKnown = noted.length === 0 ? now === "The beginning.\n" : noted.some(({ after }) => after === sha256(Buffer.from(now)));
	return isKnown || isSaid ? [] : ["README.md was changed, and nobody says so"];
}

function notesOf({ state }: Session): NonNullable<EventOf<"status">["changes"]>[number][] {
	return state.events.flatMap((event) => (event.type === "status" ? (event.changes ?? []) : []));
}

function readNow(app: TestApp, path: string): string | undefined {
	const real = join(app.folder, path);
	return existsSync(real) ? readFileSync(real, "utf8") : undefined;
}
