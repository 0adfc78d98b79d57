// A turn as its calls see it: who acts, within which limits, and how a call asks, reports and records.

import type { Caller, TokenBudget } from "../core/caller.ts";
import type { ToolView } from "../core/eventData/toolView.ts";
import type { EventBody, ToolCall } from "../core/events.ts";
import type { Verdict } from "../core/ports/gate.ts";
import type { ToolEvent } from "../core/ports/tool.ts";
import type { Permission, Role } from "../core/role.ts";
import type { BridgedTurn, SessionWorkspace } from "./services.ts";
import type { DiskCache } from "./state/diskCache.ts";
import type { FileVersions } from "./state/fileVersions.ts";
import type { LoopGuard } from "./state/loopGuard.ts";
import type { ApprovalResponse, TypeableLine } from "./state/pendingApprovals.ts";
import type { SessionApprovals } from "./state/sessionApprovals.ts";

export interface TurnContext extends BridgedTurn, SessionWorkspace {
	role: Role;
	/** The call that the turn answers; absent for users. */
	caller?: Caller;
	/** Budget that the turn shares with a tree of calls that it is part of. */
	budget?: TokenBudget;
	/** Permissions of whoever began the turn; absent for users. Limits the turn's tools, its prompt and the gate. */
	ceiling?: readonly Permission[];
	/** Limits the permissions of agents that it calls, where they may have others than `ceiling`. */
	passes?: readonly Permission[];
	signal: AbortSignal;
	/** Ends background commands: they may outlive the turn, but not the role that allowed them. */
	background: AbortSignal;
	/** Background commands that are still running, by call id. */
	ongoing: Map<string, string>;
	files: FileVersions;
	loopGuard: LoopGuard;
	/** Cached results of the gate's disk access. */
	disk: DiskCache;
	/** Approvals given in this session, in addition to the stored ones. */
	approved: SessionApprovals;
	/** True if someone can answer. An unattended turn denies what would require approval. */
	canAsk: boolean;
	/** Requests approval from the user; undefined if the turn or `signal` ends before the answer. */
	ask(approval: ApprovalRequest, signal?: AbortSignal): Promise<ApprovalResponse | undefined>;
	/** Returns the caller of an agent that is called with that call of this turn; absent where the user makes the call. */
	asCaller?(call: string): Caller;
	/** Returns true if the turn still runs. */
	runs(): boolean;
	/** Records events that do not come from the model's own calls. */
	record(event: EventBody): Promise<unknown>;
	/** Id of the plugin whose program makes this call from a shell; absent for the model's own calls. */
	shell?: string;
	/** The person makes the call themselves; absent where a model does. */
	byPerson?: true;
	/** The person's own message or button began the turn, and no agent called it. */
	begunByPerson?: true;
	/** Name of the tool that is judged, where an agent runs its own; absent where we run ours. */
	foreign?: string;
	/** Reason why it isn't known what all of that agent's call does, as a sentence for the user. */
	unclear?: string;
	progress(call: string, text: string): void;
	/** Completes the events that a tool adds to the transcript. Throws ToolError if they do not apply. */
	prepareEvents(events: readonly ToolEvent[]): Promise<EventBody[]>;
}

export interface ApprovalRequest {
	call: ToolCall;
	/** The actual call, if `call` is the command that makes it. */
	made?: Pick<ToolCall, "name" | "input">;
	summary: string;
	reason: string;
	/** Further reasons, one sentence each. */
	more?: readonly string[];
	hash: string;
	/** Everything that an approval for the session or for good would store; empty if neither is offered. */
	always: Verdict["grants"];
	/** Origins and definition hashes that an approval marks as known in this session. */
	destinations?: readonly string[];
	/** The user's rule that requires approval. */
	rule?: string;
	view?: ToolView;
	/** The command line that the user can run in their own terminal instead. */
	line?: TypeableLine;
}
