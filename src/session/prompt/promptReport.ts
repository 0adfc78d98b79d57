// A session's system prompt as a document: the text to the byte, what has changed since, and the tools that are offered.
import { toToolSpec } from "../../core/ports/tool.ts";
import { t } from "../../shared/l10n.ts";
import type { SessionContext } from "../context.ts";
import { getAgent, getRole, listModelTools, missingAgentReason } from "../sessionAgent.ts";
import { computePromptDiff } from "./promptDiff.ts";
import { computePromptKey, findFrozenPrompt, gatherPromptParts, withJsonFormats } from "./sessionPrompt.ts";

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
			? t("This is what the model is sent, to the byte. It stays as it is while agent and role do; what changes goes into messages.")
			: t("No message was sent with this agent and role yet: the next one is sent with this."),
		fenced(system, "markdown"),
		...(frozen
			? [`## ${t("What has changed since")}`, news ? t("The next message tells the model:") : t("Nothing that it was not told already.")]
			: []),
		...(news ? [fenced(news.text, "markdown")] : []),
		`## ${t("Tools that are offered: {0}", tools.length)}`,
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
