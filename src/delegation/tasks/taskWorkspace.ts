// Gives a task the window's workspace, or its own copy of it if others may change the same files.
import type { Gate } from "../../core/ports/gate.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import type { Permission } from "../../core/role.ts";
import type { TaskRecord } from "../../core/task.ts";
import { UserError } from "../../core/userError.ts";
import { getTurnRole } from "../../session/agent/sessionAgent.ts";
import type { Services, SessionWorkspace } from "../../session/services.ts";
import type { Session } from "../../session/session.ts";
import { t } from "../../shared/l10n.ts";

type Copy = SessionWorkspace & { dispose(): Promise<void> };

interface TaskOwner {
	readonly taskId: string;
	readonly services: Services;
	/** Sessions that this window has opened. */
	opened(): Promise<Session[]>;
	/** The task's record as it is now. */
	record(): TaskRecord;
	/** Records whether the task works in a copy, from now on. Resolves once it is on disk. */
	decide(copied: boolean): Promise<void>;
	/** Called before each turn. */
	begins(): Promise<void>;
	/** Called once the turn has what it works on: the record says that it runs before it does anything. */
	runs(): Promise<void>;
	/** Adds a line to the task's transcript. */
	note(text: string): Promise<void>;
}

export class TaskWorkspace implements SessionWorkspace {
	private readonly owner: TaskOwner;
	private copy: Copy | undefined;

	constructor(owner: TaskOwner) {
		this.owner = owner;
	}

	get workspace(): Workspace {
		return this.current.workspace;
	}

	get gate(): Gate {
		return this.current.gate;
	}

	private get current(): SessionWorkspace {
		return this.copy ?? this.owner.services.window;
	}

	/** Opens the copy that an earlier turn has worked in. */
	async open(): Promise<void> {
		const { taskId, services, record } = this.owner;
		if (record().copied) this.copy = await services.copies?.open(taskId);
	}

	/** Rejects with a sentence if the task has lost its copy, or none can be made. */
	async prepare(signal: AbortSignal): Promise<void> {
		await this.owner.begins();
		await this.choose(signal);
		await this.owner.runs();
	}

	/** The window's workspace, which it may have then, is not what it has worked on. */
	async lost(isRestoring: boolean): Promise<string | undefined> {
		const { taskId, services, record } = this.owner;
		const { copied, released } = record();
		const isLost = (copied || (released && isRestoring)) && !(this.copy && (await services.copies?.find(taskId)));
		return isLost ? t("The task's copy of the workspace is gone. Nothing was changed.") : undefined;
	}

	private async choose(signal: AbortSignal): Promise<void> {
		const { taskId, services, opened, record, decide } = this.owner;
		if (this.copy && (await services.copies?.find(taskId))) return;
		// It was taken or discarded meanwhile, maybe in another window.
		await this.dispose();
		if (record().copied) throw new UserError(t("The task's copy of the workspace is gone, so the task can't go on. Start a new task."));
		if (record().isolation === "never") return;
		const all = await opened();
		const own = all.find(({ sessionId }) => sessionId === taskId);
		// Undecided, because the user may let it change files later.
		if (own && !mayChange(own, record().ceiling)) return;
		if (this.needsCopy(all.filter((other) => other !== own))) await this.createCopy(signal);
		else await decide(false);
	}

	async dispose(): Promise<void> {
		await this.copy?.dispose();
		this.copy = undefined;
	}

	private needsCopy(others: readonly Session[]): boolean {
		const { services, record } = this.owner;
		if (record().isolation === "always") return true;
		// Where no copy can be made at all, tasks work as they would without the setting.
		if (!services.copies) return false;
		return others.some((other) => other.isRunning && other.workspace === services.window.workspace && mayChange(other));
	}

	private async createCopy(signal: AbortSignal): Promise<void> {
		const { taskId, services, decide, note } = this.owner;
		const { copies } = services;
		if (!copies) throw new UserError(t("A copy of the workspace can't be made here, so the task wasn't started."));
		const { notes } = await copies.create(taskId, signal);
		// Recorded before the first turn, which must not run anywhere else.
		await decide(true);
		this.copy = await copies.open(taskId);
		if (!this.copy) throw new UserError(t("The task's copy of the workspace is gone, so the task can't go on. Start a new task."));
		await note(t("The task works in its own copy of the workspace."));
		for (const text of notes) await note(text);
	}
}

const CHANGES: readonly Permission[] = ["WriteFiles", "CreateFiles", "DeleteFiles", "ExecuteCommands"];

/** Returns true if a session's turn may change files. */
function mayChange(session: Session, ceiling = session.sender?.ceiling): boolean {
	const { permissions } = getTurnRole(session);
	return CHANGES.some((permission) => permissions.includes(permission) && (ceiling?.includes(permission) ?? true));
}
