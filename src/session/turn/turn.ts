// Runs one turn from `started` to `ended`: gives the runtime its tools, its context and its output.
import { randomUUID } from "node:crypto";
import type { Caller, TokenBudget } from "../../core/caller.ts";
import type { EventBody, EventOf, Outcome, Plan, ToolCall } from "../../core/events.ts";
import { helpByErrorKind, ModelError } from "../../core/ports/model.ts";
import type { ToolResultEvent, Turn, TurnOutcome } from "../../core/ports/runtime.ts";
import { StorageError } from "../../core/ports/sessions.ts";
import { ToolError, type ToolEvent } from "../../core/ports/tool.ts";
import type { AgentDefinition, Role } from "../../core/role.ts";
import { withQuestionVersion } from "../../core/structured.ts";
import { openCalls } from "../../core/transcript/state.ts";
import { formatList, t } from "../../shared/l10n.ts";
import { contentHash } from "../../shared/node/hash.ts";
import { describeForLog, reasonOf } from "../../shared/reasonOf.ts";
import { createSwitchOffer } from "../agent/roleSwitch.ts";
import {
	findActingRole,
	findPassedLimit,
	getAgent,
	getNextRole,
	isRoleAllowed,
	listAllowedRoles,
	missingAgentReason,
} from "../agent/sessionAgent.ts";
import { requestApproval } from "../approvals/decisions.ts";
import { createContextWindowFitter } from "../contextWindow/budget.ts";
import { estimateTokens } from "../contextWindow/usage.ts";
import { createPlanEvent } from "../plans/plans.ts";
import { computeOffer } from "../prompt/computeOffer.ts";
import { resolveSystemPrompt, storePrompt } from "../prompt/sessionPrompt.ts";
import { type SessionContext, WINDOW_CLOSED } from "../sessionContext.ts";
import { DiskCache } from "../state/diskCache.ts";
import { LoopGuard } from "../state/loopGuard.ts";
import type { Sender } from "../state/message.ts";
import type { Offer } from "../state/offer.ts";
import type { TurnContext } from "../turnContext.ts";
import { runToolCall } from "./call/run.ts";
import { runShellCall } from "./call/shellCall.ts";
import { createCaller } from "./call/toolContext.ts";
import { DeltaBuffer } from "./deltaBuffer.ts";
import { endForeignCall, type ForeignCallRecords, permitForeignCall } from "./foreignCalls.ts";
import { createRuntimeStore } from "./runtimeStore.ts";

interface TurnInput {
	turn: string;
	input: EventOf<"user">;
	sender: Sender;
	signal: AbortSignal;
}

/** Never rejects: an error ends the turn with a displayable message. */
export async function runTurn(session: SessionContext, input: TurnInput): Promise<Outcome> {
	const { state, eventLog } = session;
	const run = state.run;
	const known = run?.deviations.length ?? 0;
	const end = await attempt(session, input);
	// The outcome of calls that a runtime has left open is unknown.
	for (const { call } of openCalls(state).filter((entry) => entry.turn === input.turn)) {
		await eventLog.emit({ type: "result", call: call.id, status: "unknown", output: "" }, "host", input.turn);
	}
	// A compaction during the turn rebuilds the plan's state from its event.
	const plan = run && state.plans.find(({ event }) => event.id === run.event.id);
	const newDeviations = plan?.deviations.slice(known) ?? [];
	if (newDeviations.length > 0) {
		const listed = newDeviations.map(({ path, reason }) => `${path} (${reason})`).join(", ");
		await eventLog.emit({ type: "status", level: "warning", text: t("Changes outside the plan: {0}.", listed) }, "host", input.turn);
	}
	const prompt = await storePrompt(session);
	await eventLog.emit({ type: "ended", ...end, ...(prompt && { prompt }) }, "host", input.turn);
	return end.outcome;
}

async function attempt(session: SessionContext, { turn, input, sender, signal }: TurnInput): Promise<TurnOutcome> {
	const { services, policy } = session;
	// The agent and the role stay the same for the whole turn.
	const [agent, role] = [getAgent(session), getNextRole(session)];
	const missing = missingAgentReason(session);
	if (missing !== undefined) return { outcome: "failed", error: missing, help: "switchAgent" };
	if (!isRoleAllowed(agent, role.id)) {
		const able = formatList(listAllowedRoles(policy, agent).map(({ label }) => label));
		return { outcome: "failed", error: t("{0} can't work as {1}. Available roles: {2}.", agent.displayName, role.label, able) };
	}
	try {
		await policy.limits.ready(turn, signal);
		await session.prepare?.(signal);
		const runtime = await services.runtime(agent);
		signal.throwIfAborted();
		const context = createTurnContext(session, { turn, signal, sender, agent, role });
		const end = await runtime.run(createTurn({ session, context, sender, turn, input }));
		return signal.aborted ? stopped(signal) : end;
	} catch (error) {
		if (signal.aborted) return stopped(signal);
		services.log(`turn failed: ${describeForLog(error)}`);
		const help = error instanceof ModelError ? helpByErrorKind[error.kind] : undefined;
		const kept = (error instanceof ModelError || error instanceof StorageError) && error.kept;
		return { outcome: "failed", error: reasonOf(error, undefined), ...(help && { help }), ...(kept && { kept }) };
	}
}

function shareBudget({ policy: { limits }, budget }: TurnContext, turn: string): NonNullable<Turn["budget"]["shared"]> {
	return { left: () => limits.left(turn, budget), spend: (tokens) => limits.spend(turn, budget, tokens) };
}

/** Finds what the turn shares with the turn whose call it answers, or whose call's late answer it takes. */
function findBudget({ state }: SessionContext, { caller, about }: Sender): TokenBudget | undefined {
	if (caller?.budget || !about) return caller?.budget;
	// A summary of the conversation may have left out the call.
	return (about.kind === "answer" ? about.budget : undefined) ?? state.delegations.get(about.call)?.event.budget;
}

/** Text for the model. */
const NOBODY = "Nobody is there to ask.";

/** Characters of a running call's output kept for a page that opens meanwhile. */
const MOST_PRINTED = 40_000;

function stopped(signal: AbortSignal): TurnOutcome {
	if (signal.reason !== WINDOW_CLOSED) return { outcome: "cancelled" };
	return {
		outcome: "interrupted",
		error: t("This turn was interrupted because the window closed. Completed work was kept, and nothing runs again automatically."),
		kept: true,
	};
}

function createTurnContext(
	session: SessionContext,
	{ turn, signal, sender, agent, role }: { turn: string; signal: AbortSignal; sender: Sender; agent: AgentDefinition; role: Role },
): TurnContext {
	const { services, eventLog, files } = session;
	const { ceiling, caller, unattended } = sender;
	const budget = findBudget(session, sender);
	const passes = findPassedLimit(session.state, sender);
	const context: TurnContext = {
		sessionId: session.sessionId,
		services,
		policy: session.policy,
		workspace: session.workspace,
		gate: session.gate,
		state: session.state,
		agent,
		role,
		...(ceiling && { ceiling }),
		...(passes && { passes }),
		...(caller && { caller }),
		...(budget && { budget }),
		...(sender.by === "person" && !caller && !ceiling && { begunByPerson: true }),
		asCaller: (call) => createCaller(context, turn, call),
		callFromShell: (...given) => runShellCall(context, ...given),
		signal,
		background: session.background.signal,
		ongoing: session.ongoing,
		files,
		loopGuard: new LoopGuard(),
		disk: new DiskCache(),
		approved: session.decisions.approved,
		canAsk: !unattended,
		ask: async (approval, until = signal) =>
			unattended ? { allow: false, reason: NOBODY } : requestApproval(session, context, turn, approval, until),
		runs: () => session.state.turn?.id === turn,
		record: (event) => eventLog.emit(event, "model", turn),
		progress(call, text) {
			const { printed } = session;
			printed.set(call, `${printed.get(call) ?? ""}${text}`.slice(-MOST_PRINTED));
			eventLog.live({ type: "progress", call, text });
		},
		prepareEvents: (events) => prepareEvents(session, context, events),
	};
	return context;
}

interface TurnParts {
	session: SessionContext;
	context: TurnContext;
	sender: Sender;
	turn: string;
	input: EventOf<"user">;
}

/** The turn as the runtime sees it. */
function createTurn(parts: TurnParts): Turn {
	const { session, context, sender, turn, input } = parts;
	const { services, policy, eventLog } = session;
	const { agent, role, ceiling, signal } = context;
	const unspoken = agent.output === "reply" && { unspoken: true as const };
	const deltas = new DeltaBuffer(session, !unspoken);
	const records: ForeignCallRecords = new Map();
	let offer: Offer | undefined;
	/** Requests of a turn begin alike, so its offer stays the same unless a summary changes the conversation itself. */
	const renewOffer = (): Offer => {
		offer = computeOffer(session, role, agent);
		session.prompts.offer = offer;
		return offer;
	};
	const shared = shareBudget(context, turn);
	return {
		sessionId: session.sessionId,
		state: session.state,
		input,
		agent,
		role,
		...(ceiling && { ceiling }),
		budget: { ...sender.budget, steps: Math.min(policy.settings().maxSteps, sender.budget?.steps ?? Number.POSITIVE_INFINITY), shared },
		signal,
		store: {
			get: (name) => createRuntimeStore(session, agent.agentId).get(name),
			set: (name, value) => createRuntimeStore(session, agent.agentId).set(name, value),
		},
		async begin(answering) {
			await begin(parts, answering);
			await services.grants.see(agent.agentId, renewOffer().all);
		},
		image: ({ blob }) => services.blobs.get(blob),
		async emit(event) {
			if (event.type === "assistant") return deltas.become(() => eventLog.emit({ ...event, ...unspoken }, "model", turn));
			return eventLog.emit(event, "host", turn);
		},
		live: (event) => deltas.take(event),
		deliver: () => session.deliver(turn),
		hasMail: () => session.hasJoining,
		async present(shown) {
			const events = await prepareEvents(session, context, [
				"plan" in shown ? { type: "plan", plan: shown.plan } : { type: "question", question: shown.question },
			]);
			for (const event of events) await eventLog.emit(event, "model", turn);
		},
		ours: {
			async prepare(model) {
				const fitRequest = createContextWindowFitter({ session, model, turn, signal, spend: shared.spend });
				return {
					system: await resolveSystemPrompt(session, { offer: offer ?? renewOffer(), model: model.info }),
					async makeRoom(request, refused) {
						const { archive } = session.state;
						const changed = await fitRequest(request, refused);
						// The first summary brings the tool that reads archives. The provider's cache is lost anyway.
						if (session.state.archive !== archive) renewOffer();
						return changed;
					},
					estimate: (events, whole) => estimateTokens(session, events, whole),
				};
			},
			tools: () => offer?.described ?? [],
			async call(call: ToolCall): Promise<ToolResultEvent> {
				const { result, events } = await runToolCall(context, call);
				const inBackground = result.view?.kind === "command" && result.view.background === true;
				if (!inBackground) session.printed.delete(call.id);
				// Queued together, so that no event of a parallel call comes between them.
				const [event] = await Promise.all([
					eventLog.emit({ type: "result", call: call.id, ...result }, "host", turn),
					...events.map((body) => eventLog.emit(body, "model", turn)),
				]);
				return event as ToolResultEvent;
			},
		},
		foreign: {
			permit: (asked) => permitForeignCall({ ...parts, records }, asked),
			ended: (call, result) => endForeignCall({ ...parts, records }, call, result),
		},
	};
}

/** Saves the agent and model before any other event, and prepares the agent's tools. */
async function begin({ session, context, turn }: TurnParts, { model, window, note }: Parameters<Turn["begin"]>[0]): Promise<void> {
	const { services, eventLog } = session;
	const { agent, role, signal } = context;
	const { caller, ceiling } = context;
	const limits = { ...(caller && { caller }), ...(ceiling && { ceiling }) };
	await eventLog.emit(
		{ type: "started", agent: agent.agentId, definitionHash: contentHash(agent), role: role.id, model, ...limits },
		"host",
		turn,
	);
	if (note !== undefined) await eventLog.emit({ type: "status", level: "info", text: note }, "host", turn);
	for (const source of services.sources) {
		for (const text of await source.prepare(session.sessionId, agent, signal, window)) {
			await eventLog.emit({ type: "status", level: "warning", text }, "host", turn);
		}
	}
}

async function prepareEvents(session: SessionContext, { role, caller }: TurnContext, events: readonly ToolEvent[]): Promise<EventBody[]> {
	const { state, files } = session;
	const complete: EventBody[] = [];
	for (const event of events) {
		if (event.type === "plan") {
			const plan = await createPlanEvent(state, event.plan as Plan, files, session.workspace);
			complete.push({ ...plan, ...(caller && { caller }) });
		} else if (event.type === "switch") complete.push(createRoleOffer(session, role, event.reason, caller));
		else if (event.type === "step") complete.push(checkStep(session, event));
		else {
			const question = withQuestionVersion(event.question);
			const { about } = event;
			complete.push({ type: "question", request: randomUUID(), question, ...(about && { about }), ...(caller && { caller }) });
		}
	}
	return complete;
}

function createRoleOffer(session: SessionContext, from: Role, reason: string, caller: Caller | undefined): EventBody {
	if (caller)
		throw new ToolError(
			`You answer the agent ${caller.agent}, whose permissions limit yours, so another role would not help. Nothing was offered. Say in your answer what you could not do.`,
		);
	const agent = getAgent(session);
	const to = findActingRole(session.policy, agent, from);
	if (to) return createSwitchOffer(from, to, reason);
	throw new ToolError(
		`${agent.displayName} has no role that changes anything, so nothing was offered. Present a plan: the person can execute it with another agent.`,
	);
}

function checkStep({ state }: SessionContext, event: Extract<ToolEvent, { type: "step" }>): EventBody {
	const steps = state.run?.event.plan.steps;
	if (!steps) throw new ToolError("No plan is running, so there is no step to update. Go on without update_step.");
	if (steps.some((step) => step.step_number === event.step_number)) return event;
	throw new ToolError(
		`The running plan has no step ${event.step_number}. Its steps are ${steps.map((step) => step.step_number).join(", ")}.`,
	);
}
