// Shows what background tasks have changed in their copies of the workspace, and applies it for the user.
import type { SessionSummary, TranscriptEvent } from "../core/events.ts";
import { isTaskFinished, isTaskIdle } from "../core/task.ts";
import { UserError } from "../core/userError.ts";
import type { ApplyChanges, TakeResult, TaskChange, TaskChanges } from "../delegation/applyChanges/applyChanges.ts";
import { formatSessionTitle } from "../session/transcript/sessionTitle.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { t } from "../shared/l10n.ts";
import { contentHash } from "../shared/node/hash.ts";
import { Serial } from "../shared/node/serial.ts";
import type { IntentOf, Update } from "../shared/protocol/chat.ts";
import type { ShownTaskChange, TaskChangeList, TaskCopy } from "../shared/protocol/taskChanges.ts";
import { reasonOf } from "../shared/reasonOf.ts";
import type { ChatHost } from "./chatHost.ts";

/** Milliseconds between readings of the copies. */
const INTERVAL = 200;

interface Parts {
	sessions: Sessions;
	applyChanges: ApplyChanges;
	host: Pick<ChatHost, "confirm" | "notify" | "openTaskChanges">;
	/** The session on the page, once the page has a snapshot of it. */
	shown(): string | undefined;
	post(update: Update): void;
	/** Throws unless the user pressed a button of the page. */
	useToken(given: string): Promise<void>;
}

/** A task that goes on needs its copy, so one in which nothing has changed yet is nothing to look after. */
function isWorthShowing({ state, files }: TaskCopy): boolean {
	return state !== "present" || files > 0;
}

/** The result of reading a copy. */
interface ReadCopy {
	copy: TaskCopy;
	list?: TaskChangeList;
}

export function createTaskChanges({ sessions, applyChanges, host, shown, post, useToken }: Parts) {
	/** Copies of idle tasks by task id; absent if a copy has to be read. */
	const read = new Map<string, ReadCopy>();
	/** The shown session, and all of its tasks. */
	let followed = new Set<string>();
	let reading: string | undefined;
	/** Tasks whose list is open on the page. */
	const open = new Set<string>();
	/** Tasks whose files are being taken, each of which would have the copies read again. */
	const taking: string[] = [];
	/** Hashes of what the page has, by update. */
	const posted = new Map<string, string>();
	let timer: NodeJS.Timeout | undefined;
	let last = 0;
	const sending = new Serial((error) => sessions.services.log(`copies of tasks are not shown: ${String(error)}`));

	function schedule(): void {
		timer ??= setTimeout(
			() => {
				timer = undefined;
				sending.add(send);
			},
			Math.max(0, last + INTERVAL - Date.now()),
		);
	}

	async function send(): Promise<void> {
		last = Date.now();
		const session = shown();
		if (session === undefined || !sessions.services.copies) return;
		const found = await findCopied(session);
		for (const { sessionId, task } of found) {
			if (taking.length > 0 || read.has(sessionId) || !task || !isTaskIdle(task.state)) continue;
			reading = sessionId;
			const now = await readCopy(sessionId);
			// Otherwise it has changed meanwhile, and is read again.
			if (reading === sessionId) read.set(sessionId, now);
			reading = undefined;
		}
		if (session !== shown()) return;
		const all = found.flatMap(({ sessionId, task }) => {
			const known = read.get(sessionId);
			return known && (isWorthShowing(known.copy) || (task && isTaskFinished(task.state))) ? [known] : [];
		});
		for (const { list } of all) if (list && open.has(list.task)) postChanged(list.task, { type: "taskChanges", session, list });
		postChanged("", {
			type: "taskCopies",
			session,
			copies: all.map(({ copy }) => (taking.includes(copy.task) ? { ...copy, taking: true } : copy)),
		});
	}

	function postChanged(key: string, update: Update): void {
		const hash = contentHash(update);
		if (posted.get(key) === hash || (key === "" && !posted.has(key) && hash === contentHash(noCopies(update)))) return;
		posted.set(key, hash);
		post(update);
	}

	/** The shown session's tasks that were given a copy, and the session itself if it is one. */
	async function findCopied(session: string): Promise<SessionSummary[]> {
		const { tasks } = (await sessions.get(session)).state;
		const own = await sessions.find(session);
		followed = new Set([session, ...tasks.keys()]);
		if (tasks.size === 0 && own?.kind !== "task") return [];
		const isOwn = ({ sessionId }: SessionSummary) => sessionId === session || tasks.has(sessionId);
		return (await sessions.tasks()).filter((summary) => summary.task?.copied === true && isOwn(summary));
	}

	async function readCopy(task: string): Promise<ReadCopy> {
		if (!(await sessions.services.copies?.find(task))) return { copy: emptyCopy(task, "gone") };
		try {
			const all = await applyChanges.list(task);
			const list = toShownList(task, all);
			const left = list.changes.length === 0 ? describeLeft(all) : [];
			// A total that leaves out the largest files would mislead.
			const isCounted = all.changes.every(({ ignored, unshown }) => ignored || unshown?.why !== "large");
			const sum = (of: "added" | "removed") => (isCounted ? list.changes.reduce((total, change) => total + change[of], 0) : 0);
			const counts = { files: list.changes.length, added: sum("added"), removed: sum("removed") };
			return { copy: { ...emptyCopy(task, "present"), ...counts, ...(left.length > 0 && { left }) }, list };
		} catch (error) {
			return { copy: { ...emptyCopy(task, "unreadable"), problem: reasonOf(error, sessions.services.log) } };
		}
	}

	/** While files are taken, what was read before is shown. */
	function invalidate(task?: string): void {
		if (taking.length === 0) {
			if (task === undefined) read.clear();
			else read.delete(task);
			if (task === undefined || reading === task) reading = undefined;
		}
		schedule();
	}

	async function requireOwn(session: string, task: string): Promise<void> {
		if (session === task || (await sessions.get(session)).state.tasks.has(task)) return;
		throw new UserError(t("This task no longer exists."));
	}

	return {
		/** Call on everything that happens in any session. */
		notice(sessionId: string, event?: TranscriptEvent): void {
			if (event?.type === "task" && sessionId === shown()) invalidate(event.task);
			// Files were taken, or taking them was undone.
			else if (event?.type === "status" && event.changes) invalidate();
			else if ((event === undefined || event.type === "ended") && followed.has(sessionId)) invalidate(sessionId);
		},
		/** Sends everything again: the page has a new snapshot. */
		restart(): void {
			posted.clear();
			invalidate();
		},
		dispose(): void {
			clearTimeout(timer);
		},
		acts: {
			async listTaskChanges({ session, task, on }: IntentOf<"listTaskChanges">) {
				await requireOwn(session, task);
				if (!on) return void open.delete(task);
				open.add(task);
				posted.delete(task);
				invalidate(task);
			},
			async openTaskChange({ session, task, path }: IntentOf<"openTaskChange">) {
				await requireOwn(session, task);
				await host.openTaskChanges(task, path);
			},
			async takeTaskChanges({ session, task, shown: seen, path, hunks, token }: IntentOf<"takeTaskChanges">) {
				await useToken(token);
				await requireOwn(session, task);
				taking.push(task);
				schedule();
				try {
					const result = await applyChanges.take(task, { shown: seen, ...(path !== undefined && { path }), ...(hunks && { hunks }) });
					const problem = describeTakeProblem(result, path);
					if (problem) host.notify(problem.level, problem.text);
				} finally {
					taking.splice(taking.indexOf(task), 1);
					invalidate();
				}
			},
			async discardTaskChanges({ session, task, change }: IntentOf<"discardTaskChanges">) {
				await requireOwn(session, task);
				try {
					if (!(await host.confirm(...(await describeDiscard(sessions, applyChanges, task, change?.path))))) return;
					await (change ? applyChanges.discardChange(task, change.path, change.shown) : applyChanges.discard(task));
				} finally {
					invalidate(task);
				}
			},
		},
	};
}

/**
 * Describes what could not be taken, or not as it should be; undefined if all went well. Files that the list showed apart are no problem.
 */
export function describeTakeProblem({ files }: TakeResult, path?: string): { level: "info" | "warning"; text: string } | undefined {
	const isExpected = (outcome: string) => path === undefined && outcome !== "failed" && outcome !== "taken";
	const problems = files.filter(({ outcome, reason }) => reason !== undefined && !isExpected(outcome));
	const [first, ...more] = problems;
	if (first?.reason === undefined) return undefined;
	const text = more.length === 0 ? first.reason : t("{0} ({1} more are like this.)", first.reason, more.length);
	return { level: first.outcome === "same" ? "info" : "warning", text };
}

/** Arguments of the dialog that confirms discarding a change, or all of them with the copy. */
async function describeDiscard(
	sessions: Sessions,
	applyChanges: ApplyChanges,
	task: string,
	path?: string,
): Promise<[question: string, lines: string[], button: string]> {
	const changes = await applyChanges.list(task).then(
		(all) => toShownList(task, all).changes,
		() => undefined,
	);
	if (path !== undefined) {
		if (changes?.find((change) => change.path === path)?.group === "conflict") {
			const effect = t("The task's version is removed from the list; your file stays as it is.");
			return [t("Mark {0} as resolved?", path), [effect], t("Mark as Resolved")];
		}
		const kept = t("The task's version is no longer offered. What you have merged or taken of it stays. This can't be undone.");
		return [t("Discard the task's change of {0}?", path), [kept], t("Discard")];
	}
	const summary = await sessions.find(task);
	const name = summary ? formatSessionTitle(summary) : "";
	const count = changes?.length ?? 0;
	const question =
		count === 0
			? t("Delete the copy of “{0}”?", name)
			: count === 1
				? t("Discard 1 change of “{0}”?", name)
				: t("Discard {0} changes of “{1}”?", count, name);
	const lost = t(
		"The task's copy of the workspace is deleted, so the task can't go on. This can't be undone. Your files are not affected.",
	);
	return [question, [lost], t("Discard")];
}

function toShownList(task: string, all: TaskChanges): TaskChangeList {
	const { changes, notes, shown } = all;
	const listed = changes.filter(({ ignored }) => !ignored);
	let budget = MAX_DIFFS;
	const withinBudget = (change: ShownTaskChange): ShownTaskChange => {
		budget -= change.diff.length;
		return budget >= 0 ? change : { ...change, diff: "", unshown: { why: "large", size: change.diff.length } };
	};
	const shownChanges = listed.map((change) => withinBudget(toShownChange(change)));
	return { task, changes: shownChanges, notes: [...notes, ...describeLeft(all)], shown };
}

/** Sentences about what differs and isn't listed. The path leads into the copy, where the user can open what is only there. */
function describeLeft({ changes, left }: TaskChanges): string[] {
	const ignored = changes.filter((change) => change.ignored && !change.dependency);
	const [first] = ignored;
	if (!first) return [...left];
	const { length } = ignored;
	const sentence =
		length === 1
			? t("1 file that Git ignores stays in the copy: {0}", first.copiedPath)
			: t("{0} files that Git ignores stay in the copy, such as {1}", length, first.copiedPath);
	return [...left, sentence];
}

/** Maximum characters of all diffs in a list. */
const MAX_DIFFS = 2_000_000;

function toShownChange({ real: _, copiedPath: __, changedMeanwhile, ignored: ___, group, ...change }: TaskChange): ShownTaskChange {
	return { ...change, group: changedMeanwhile && group !== "refused" ? "conflict" : group };
}

function emptyCopy(task: string, state: TaskCopy["state"]): TaskCopy {
	return { task, state, files: 0, added: 0, removed: 0 };
}

/** Returns the update as a page has it before its first update: without copies. */
function noCopies(update: Update): Update {
	return update.type === "taskCopies" ? { ...update, copies: [] } : update;
}
