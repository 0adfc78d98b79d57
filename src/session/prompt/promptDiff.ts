// Computes what changed since a prompt was built, for the next message to report once.
import type { PromptChanges } from "../../core/events.ts";
import { toToolSpec } from "../../core/ports/tool.ts";
import type { PromptParts } from "../../core/prompt.ts";
import { visibleEvents } from "../../core/transcript/fold.ts";
import { t } from "../../shared/l10n.ts";
import { withTimeout } from "../../shared/node/withTimeout.ts";
import type { SessionContext } from "../context.ts";
import { getAgent, getRole, isAgentDefined, listModelTools, missingAgentReason } from "../sessionAgent.ts";
import { FACT_KINDS, formatChangesNote, formatFactName, listFacts, MAX_FACTS_PER_KIND } from "./promptFacts.ts";
import type { FrozenPrompt } from "./promptMemory.ts";
import { computePromptKey, findFrozenPrompt, gatherPromptParts, outside, withJsonFormats } from "./sessionPrompt.ts";

/** A note's words, and the facts that it tells. */
interface PromptDiff {
	text: string;
	told: PromptChanges;
}

/** Milliseconds after which a message goes without news: the one after it tells them. */
const PATIENCE = 3_000;

/** What the next message has to tell; undefined for nothing, and before a prompt was built. Never rejects. */
export async function computePromptDiff(session: SessionContext): Promise<PromptDiff | undefined> {
	return withTimeout(gathered(session), PATIENCE, () => undefined);
}

async function gathered(session: SessionContext): Promise<PromptDiff | undefined> {
	if (!isAgentDefined(session)) return undefined;
	const [agent, role] = [getAgent(session), getRole(session)];
	try {
		const key = computePromptKey(session, agent, role);
		const frozen = await findFrozenPrompt(session, key);
		if (!frozen) return undefined;
		const told = toldFacts(session, frozen);
		const parts = await gatherPromptParts(session, agent, role);
		const current = currentFacts(session, key, told, parts);
		const added = current.filter((fact) => !told.includes(fact));
		const removed = told.filter((fact) => !current.includes(fact));
		if (added.length === 0 && removed.length === 0) return undefined;
		return { text: formatChangesNote(added, removed, parts), told: { added, removed } };
	} catch (error) {
		session.services.log(`what has changed for the prompt could not be gathered: ${String(error)}`);
		return undefined;
	}
}

/** What the prompt says, with what messages that the model still sees have told since. */
function toldFacts({ state }: SessionContext, frozen: FrozenPrompt): string[] {
	const since = state.events.findLastIndex((event) => event.type === "ended" && event.prompt?.key === frozen.key);
	const from = state.events[since]?.seq ?? 0;
	const told = new Set(frozen.facts);
	for (const event of visibleEvents(state)) {
		if (event.type !== "user" || event.seq <= from || !event.told) continue;
		for (const fact of event.told.removed) told.delete(fact);
		for (const fact of event.told.added) told.add(fact);
	}
	return [...told];
}

/** Where one cannot know yet, or the person does not want it told, things are as they were. */
function currentFacts(session: SessionContext, key: string, told: readonly string[], parts: PromptParts): string[] {
	const { prompts, services } = session;
	const now = outside(session, listModelTools(session, getRole(session), getAgent(session)));
	const ours = { ...parts, tools: parts.tools.filter(({ name }) => !now.includes(name)) };
	const of = (kind: string) => told.filter((fact) => fact.startsWith(kind));
	// Tools from outside are there once the turn has started them: those of the last turn count.
	const known = prompts.listExternalToolNames?.key === key ? prompts.listExternalToolNames.names : undefined;
	const others = known
		? known.slice(0, MAX_FACTS_PER_KIND).map((name) => `${FACT_KINDS.outside}${formatFactName(name)}`)
		: of(FACT_KINDS.outside);
	const unsaid = services.parts.context.on() ? [] : [...of(FACT_KINDS.context), ...of(FACT_KINDS.panel)];
	return [...listFacts(ours, []), ...others, ...unsaid];
}

/** Rejects with a sentence where the session's agent is gone: there is no prompt. */
export async function createPromptReport(session: SessionContext): Promise<string> {
	const { services } = session;
	const gone = missingAgentReason(session);
	if (gone !== undefined) throw new Error(gone);
	const [agent, role] = [getAgent(session), getRole(session)];
	await session.whole();
	const frozen = await findFrozenPrompt(session, computePromptKey(session, agent, role));
	const model = await services.model(agent, role, "known").catch(() => undefined);
	const short = frozen?.system ?? services.prompt(await gatherPromptParts(session, agent, role));
	const system = model ? withJsonFormats(session, short, role, model.info) : short;
	const news = frozen && (await computePromptDiff(session));
	const tools = listModelTools(session, role, agent).map(toToolSpec);
	const parts = [
		`# ${t("System prompt")}`,
		t("Agent {0}, role {1}.", agent.displayName, role.label),
		frozen
			? t(
					"This is the exact text sent to the model. The prompt stays the same as long as the agent and role don't change. Changes are sent in messages.",
				)
			: t("No message has been sent with this agent and role yet. The next message uses this prompt."),
		fenced(system, "markdown"),
		...(frozen ? [`## ${t("Changes since this prompt")}`, news ? t("The next message includes:") : t("No new changes.")] : []),
		...(news ? [fenced(news.text, "markdown")] : []),
		`## ${t("Available tools: {0}", tools.length)}`,
		...tools.flatMap(({ name, description, parameters }) => [
			`### ${name}`,
			fenced(description, "text"),
			fenced(JSON.stringify(parameters, null, 2), "json"),
		]),
	];
	return `${parts.join("\n\n")}\n`;
}

/** A fence longer than any run of backticks inside. */
function fenced(text: string, language: string): string {
	const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
	const marks = "`".repeat(longest + 1);
	return `${marks}${language}\n${text}\n${marks}`;
}
