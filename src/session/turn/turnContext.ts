// What a tool call knows of the turn it belongs to.
import type { EventBody, ToolCall, ToolView } from "../../core/events.ts";
import type { Verdict } from "../../core/ports/gate.ts";
import type { AgentDefinition, Permission, Role } from "../../core/permissions.ts";
import type { Tool, ToolEvent } from "../../core/ports/tool.ts";
import type { Transcript } from "../../core/transcript/fold.ts";
import type { Answered, TypeableLine } from "../approvals/approvals.ts";
import type { DiskMemory } from "./diskMemory.ts";
import type { CallFacts } from "./callFacts.ts";
import type { LoopGuard } from "./loopGuard.ts";
import type { SessionFiles } from "../fileVersions.ts";
import type { Services } from "../services.ts";
import type { SessionApprovals } from "../approvals/sessionApprovals.ts";

export interface TurnContext {
	sessionId: string;
	services: Services;
	state: Transcript;
	agent: AgentDefinition;
	role: Role;
	/** Permissions of whoever asked this agent; absent for a person. */
	ceiling?: readonly Permission[];
	signal: AbortSignal;
	/** Ends commands in the background: they may outlive the turn, not the role that allowed them. */
	background: AbortSignal;
	/** Commands that went on in the background and have not ended, by call. */
	ongoing: Map<string, string>;
	files: SessionFiles;
	loopGuard: LoopGuard;
	/** What the gate learned of the disk. */
	disk: DiskMemory;
	/** What the person has allowed in this session, beside what lasts longer. */
	approved: SessionApprovals;
	/** Somebody can answer. */
	canAsk: boolean;
	/** Puts an approval to the person; undefined when the turn, or `signal`, ends before they answer. */
	ask(approval: Approval, signal?: AbortSignal): Promise<Answered | undefined>;
	/** Whether the turn still runs. */
	runs(): boolean;
	/** Writes down what happens beside the model's own calls. */
	record(event: EventBody): Promise<unknown>;
	/** The plugin whose program makes this call from a shell; absent for the model's own calls. */
	shell?: string;
	progress(call: string, text: string): void;
	/** Makes whole what a tool wants to tell the transcript. Throws ToolProblem where it does not apply. */
	prepareEvents(events: readonly ToolEvent[]): Promise<EventBody[]>;
	/** The role that would permit a call that this one's role refuses. */
	offerRole(tool: Tool, facts: CallFacts): Promise<string | undefined>;
}

export interface Approval {
	call: ToolCall;
	/** The call itself, where `call` is the command that makes it. */
	made?: Pick<ToolCall, "name" | "input">;
	summary: string;
	reason: string;
	/** Why it asks beside that, a sentence each. */
	more?: readonly string[];
	hash: string;
	/** What an approval for the session or for good would keep; empty where neither is offered. */
	always: Verdict["grants"];
	/** Origins and definition hashes that an approval makes known in this session. */
	meets?: readonly string[];
	/** The rule of the person's that makes it ask. */
	rule?: string;
	view?: ToolView;
	/** What of it the person may run in their own terminal instead. */
	line?: TypeableLine;
}
