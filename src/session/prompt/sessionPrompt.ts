// Builds a session's system prompt once per agent and role, and keeps it byte for byte.

// Later changes are reported in messages.

import type { StoredPrompt } from "../../core/events.ts";
import type { ModelInfo } from "../../core/ports/model.ts";
import type { Tool } from "../../core/ports/tool.ts";
import type { PromptParts } from "../../core/prompt.ts";
import type { Role } from "../../core/role.ts";
import { formatJsonInstructions } from "../../core/structured.ts";
import { sha256 } from "../../shared/node/hash.ts";
import type { SessionContext } from "../sessionContext.ts";
import type { Offer } from "../state/offer.ts";
import type { FrozenPrompt } from "../state/promptMemory.ts";
import { listVisibleEditors } from "./editorContext.ts";
import { listFacts } from "./promptFacts.ts";

/** Resolves to the prompt of a turn that begins, once its tools are available. `model` is the model used. */
export async function resolveSystemPrompt(session: SessionContext, { offer, model }: { offer: Offer; model: ModelInfo }): Promise<string> {
	const { services, policy, context, prompts } = session;
	const { agent, role, described } = offer;
	const key = computePromptKey(session, offer);
	prompts.listExternalToolNames = { key, names: outside(session, described) };
	let frozen = await findFrozenPrompt(session, key);
	if (!frozen) {
		// A later message reports what cannot be read now.
		const parts = await gatherPromptParts(session, offer).catch((error: unknown) => {
			services.log(`a prompt was built without all of its parts: ${String(error)}`);
			return offer.parts;
		});
		frozen = { key, system: policy.prompt(parts), facts: listFacts(parts, outside(session, described)) };
		prompts.known.set(key, frozen);
		prompts.unkept = frozen;
	}
	prompts.current = frozen;
	// Text that is thought shows no plan or question.
	context.system = agent.output === "reply" ? frozen.system : withJsonFormats(session, frozen.system, role, model);
	return context.system;
}

/** A model known to support tool calls gets the short prompt. The decision is kept per model, so that prompt caches stay valid. */
export function withJsonFormats({ prompts }: SessionContext, system: string, role: Role, { id, tools }: ModelInfo): string {
	const formatted = prompts.formatted.get(id) ?? tools !== true;
	prompts.formatted.set(id, formatted);
	return formatted ? `${system}\n\n${formatJsonInstructions(role)}` : system;
}

/** Stores the turn's prompt unless the transcript already names it. If that fails, the prompt is rebuilt after a reload. */
export async function storePrompt({ services, prompts }: SessionContext): Promise<StoredPrompt | undefined> {
	const { unkept } = prompts;
	if (!unkept) return undefined;
	try {
		const bytes = Buffer.from(JSON.stringify(unkept));
		const text = { blob: await services.blobs.put(bytes), size: bytes.length, mime: "application/json" };
		prompts.unkept = undefined;
		return { key: unkept.key, text };
	} catch (error) {
		services.log(`a system prompt was not kept: ${String(error)}`);
		return undefined;
	}
}

/** The prompt in use for that key, from this window or from before a reload. */
export async function findFrozenPrompt({ services, state, prompts }: SessionContext, key: string): Promise<FrozenPrompt | undefined> {
	const known = prompts.known.get(key);
	if (known) return known;
	const named = state.events.findLast((event) => event.type === "ended" && event.prompt?.key === key);
	const bytes =
		named?.type === "ended" && named.prompt ? await services.blobs.get(named.prompt.text.blob).catch(() => undefined) : undefined;
	const frozen = bytes && readPrompt(Buffer.from(bytes).toString(), key);
	if (frozen) prompts.known.set(key, frozen);
	return frozen;
}

/** Validates a prompt from disk, which may contain anything. */
function readPrompt(text: string, key: string): FrozenPrompt | undefined {
	try {
		const { key: of, system, facts } = JSON.parse(text) as Record<string, unknown>;
		if (of !== key || typeof system !== "string" || !Array.isArray(facts)) return undefined;
		return { key, system, facts: facts.filter((fact) => typeof fact === "string") };
	} catch {
		return undefined;
	}
}

/** Stays the same while the definition, the role, the folders and our own text do. */
export function computePromptKey({ policy, prompts }: SessionContext, { agent, role, parts: current }: Offer): string {
	const fixed = { ...current, tools: [] };
	const parts = JSON.stringify(fixed);
	if (prompts.lastKey?.parts !== parts)
		prompts.lastKey = { parts, key: sha256(JSON.stringify([agent.agentId, role.id, policy.prompt(fixed)])) };
	return prompts.lastKey.key;
}

/** The current value of everything that a prompt consists of. */
export async function gatherPromptParts(session: SessionContext, offer: Offer): Promise<PromptParts> {
	const { services, workspace, gate } = session;
	const { parts } = services;
	const [cliSkills, artifacts, instructions, panels] = await Promise.all([
		services.cliBridge?.cliSkills(session, offer.agent, offer.all) ?? [],
		parts.artifacts(),
		parts.instructions({ folders: workspace.folders, disk: workspace, visible: gate.visible }),
		listVisibleEditors(services),
	]);
	const { described } = offer;
	// Artifact types are listed only for agents with tools or a program for them.
	const areas = [...described.flatMap(({ capabilities }) => capabilities), ...cliSkills.map(({ id }) => id)];
	return {
		...offer.parts,
		cliSkills,
		artifacts: artifacts.filter(({ type }) => areas.some((area) => matchesType(area, type))),
		messageContext: parts.context.on(),
		panels,
		taskTypes: described.some(({ name }) => name === "spawn_subagent") ? (services.taskTypes?.list() ?? []) : [],
		peers: offer.peers,
		instructions,
	};
}

/** The capability `notes.read` and the plugin `notes` belong to the types "notes" and "note". */
function matchesType(named: string, type: string): boolean {
	const [area = ""] = named.split(".");
	return area === type || area === `${type}s`;
}

/** Names of tools from external sources, which may not exist before a turn has requested them. */
export function outside({ services }: SessionContext, tools: readonly Tool[]): string[] {
	return tools.filter((tool) => !services.tools.includes(tool)).map(({ name }) => name);
}
