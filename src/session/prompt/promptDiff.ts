// Collects what a message tells the model beside its text: changes since the prompt was built, and the memory index.
import type { PromptChanges } from "../../core/events.ts";
import { toToolSpec } from "../../core/ports/tool.ts";
import type { PromptParts } from "../../core/prompt.ts";
import { visibleEvents } from "../../core/transcript/fold.ts";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import { withTimeout } from "../../shared/node/withTimeout.ts";
import { getAgent, getRole, isAgentDefined, missingAgentReason } from "../agent/sessionAgent.ts";
import type { SessionContext } from "../sessionContext.ts";
import type { Offer } from "../state/offer.ts";
import type { FrozenPrompt } from "../state/promptMemory.ts";
import { computeOffer } from "./computeOffer.ts";
import { FACT_KINDS, formatChangesNote, formatFactName, listFacts, MAX_FACTS_PER_KIND } from "./promptFacts.ts";
import { computePromptKey, findFrozenPrompt, gatherPromptParts, outside, withJsonFormats } from "./sessionPrompt.ts";

/** The note's text, and the facts it reports. */
interface PromptDiff {
	text: string;
	told: PromptChanges;
}

/** Milliseconds after which a message is sent without either; the next message reports the changes. */
const TIMEOUT = 3_000;

/** Computes what the next message must report; undefined for nothing, and before a prompt was built. Never rejects. */
async function computePromptDiff(session: SessionContext, offer: Offer): Promise<PromptDiff | undefined> {
	return withTimeout(computeDiff(session, offer), TIMEOUT, () => undefined);
}

async function computeDiff(session: SessionContext, offer: Offer): Promise<PromptDiff | undefined> {
	try {
		const key = computePromptKey(session, offer);
		const frozen = await findFrozenPrompt(session, key);
		if (!frozen) return undefined;
		const reported = reportedFacts(session, frozen);
		const parts = await gatherPromptParts(session, offer);
		const current = currentFacts(session, { key, reported, parts, offer });
		const added = current.filter((fact) => !reported.includes(fact));
		const removed = reported.filter((fact) => !current.includes(fact));
		if (added.length === 0 && removed.length === 0) return undefined;
		return { text: formatChangesNote(added, removed, parts), told: { added, removed } };
	} catch (error) {
		session.services.log(`what has changed for the prompt could not be gathered: ${String(error)}`);
		return undefined;
	}
}

/** The prompt's facts, updated by the changes that visible messages have reported since. */
function reportedFacts({ state }: SessionContext, frozen: FrozenPrompt): string[] {
	const since = state.events.findLastIndex((event) => event.type === "ended" && event.prompt?.key === frozen.key);
	const from = state.events[since]?.seq ?? 0;
	const reported = new Set(frozen.facts);
	for (const event of visibleEvents(state)) {
		if (event.type !== "user" || event.seq <= from || !event.told) continue;
		for (const fact of event.told.removed) reported.delete(fact);
		for (const fact of event.told.added) reported.add(fact);
	}
	return [...reported];
}

/** Facts that are not known yet, or that the user does not want reported, stay as reported. */
function currentFacts(
	session: SessionContext,
	{ key, reported, parts, offer }: { key: string; reported: readonly string[]; parts: PromptParts; offer: Offer },
): string[] {
	const { prompts, services } = session;
	const now = outside(session, offer.described);
	const ours = { ...parts, tools: parts.tools.filter(({ name }) => !now.includes(name)) };
	const of = (kind: string) => reported.filter((fact) => fact.startsWith(kind));
	// External tools exist only once a turn has started them, so those of the last turn count.
	const known = prompts.listExternalToolNames?.key === key ? prompts.listExternalToolNames.names : undefined;
	const external = known
		? known.slice(0, MAX_FACTS_PER_KIND).map((name) => `${FACT_KINDS.outside}${formatFactName(name)}`)
		: of(FACT_KINDS.outside);
	const unreported = services.parts.context.on() ? [] : [...of(FACT_KINDS.context), ...of(FACT_KINDS.panel)];
	return [...listFacts(ours, []), ...external, ...unreported];
}

interface MessageNotes {
	/** "" if there is nothing to tell. */
	text: string;
	told?: PromptChanges;
}

/** Creates the notes for the message that begins the next turn. Never rejects. */
export async function createMessageNotes(session: SessionContext): Promise<MessageNotes> {
	const offer = computeSessionOffer(session);
	session.prompts.offer = offer;
	if (!offer) return { text: "" };
	const [memory, diff] = await Promise.all([
		isFirstMessage(session) ? readMemoryIndex(session, offer) : undefined,
		computePromptDiff(session, offer),
	]);
	const text = [memory, diff?.text].filter(Boolean).join("\n");
	return { text, ...(diff && { told: diff.told }) };
}

/** Computes what the session's agent would be offered in its role; undefined if the agent or its tools are not known. */
function computeSessionOffer(session: SessionContext): Offer | undefined {
	if (!isAgentDefined(session)) return undefined;
	try {
		return computeOffer(session, getRole(session), getAgent(session));
	} catch (error) {
		session.services.log(`what the session offers could not be listed: ${String(error)}`);
		return undefined;
	}
}

/** Reads what memory holds now, for a message; undefined if it is empty or the agent doesn't read it. Never rejects. */
export async function readMemoryIndex(session: SessionContext, offer = computeSessionOffer(session)): Promise<string | undefined> {
	const { memory } = session.services.parts;
	if (!memory || !offer || !readsMemory(offer)) return undefined;
	const read = memory().catch((error: unknown) => {
		session.services.log(`the memory index could not be read: ${String(error)}`);
		return undefined;
	});
	return withTimeout(read, TIMEOUT, () => undefined);
}

/** Returns true if no turn has begun since the session did, was compacted, or got another agent. */
function isFirstMessage({ state }: SessionContext): boolean {
	const events = visibleEvents(state);
	const from = events.findLastIndex(({ type }) => type === "compacted" || type === "agent");
	// A turn that goes on after its compaction has its messages there again.
	const going = events[from]?.turn;
	return !events.slice(from + 1).some(({ type, turn }) => type === "user" && (turn === undefined || turn !== going));
}

function readsMemory({ described }: Offer): boolean {
	return described.some(({ plugin, capabilities }) => plugin === "memory" && capabilities.includes("memory.read"));
}

/** Rejects with a displayable message if the session's agent no longer exists: there is no prompt. */
export async function createPromptReport(session: SessionContext): Promise<string> {
	const { services, policy } = session;
	const missing = missingAgentReason(session);
	if (missing !== undefined) throw new UserError(missing);
	const [agent, role] = [getAgent(session), getRole(session)];
	await session.whole();
	const offer = computeOffer(session, role, agent);
	const frozen = await findFrozenPrompt(session, computePromptKey(session, offer));
	const model = await services.model(agent, role, "known").catch(() => undefined);
	const short = frozen?.system ?? policy.prompt(await gatherPromptParts(session, offer));
	const system = model ? withJsonFormats(session, short, role, model.info) : short;
	const diff = frozen && (await computePromptDiff(session, offer));
	const tools = offer.described.map(toToolSpec);
	const parts = [
		`# ${t("System prompt")}`,
		t("Agent {0}, role {1}.", agent.displayName, role.label),
		frozen
			? t(
					"This is the exact text sent to the model. The prompt stays the same as long as the agent and role don't change. Changes are sent in messages.",
				)
			: t("No message has been sent with this agent and role yet. The next message uses this prompt."),
		fenced(system, "markdown"),
		...(frozen ? [`## ${t("Changes since this prompt")}`, diff ? t("The next message includes:") : t("No new changes.")] : []),
		...(diff ? [fenced(diff.text, "markdown")] : []),
		`## ${t("Available tools: {0}", tools.length)}`,
		...tools.flatMap(({ name, description, parameters }) => [
			`### ${name}`,
			fenced(description, "text"),
			fenced(JSON.stringify(parameters, null, 2), "json"),
		]),
	];
	return `${parts.join("\n\n")}\n`;
}

/** Uses a fence longer than any run of backticks inside. */
function fenced(text: string, language: string): string {
	const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
	const delimiter = "`".repeat(longest + 1);
	return `${delimiter}${language}\n${text}\n${delimiter}`;
}
