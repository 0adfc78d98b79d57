// Shared helpers for the tools of notes, lists and views.

// These tools need no permission; their plugin's capabilities control access.
import type * as z from "zod";
import { ArtifactError, type ArtifactKind, type ArtifactSummary } from "../core/ports/artifacts.ts";
import { defineTool, type Tool, ToolError } from "../core/ports/tool.ts";
import type { AgentDefinition } from "../core/role.ts";
import { cleanLine } from "./note.ts";
import type { ArtifactStore } from "./store.ts";

export interface ArtifactToolContext {
	store: ArtifactStore;
	/** ISO time. */
	now(): string;
}

interface Sketch<Input> {
	/** Prefix of the tool's name. */
	plugin: "notes" | "lists" | "views";
	name: string;
	access: "read" | "write";
	/** Useless until an artifact of one of these kinds exists. */
	after?: readonly ArtifactKind[];
	description: string;
	input: z.ZodType<Input>;
	summary(input: Input): string;
	done(input: Input): string;
	/** `may`: returns true if the agent's lists allow the capability. */
	run(input: Input, may: (capability: string) => boolean): Promise<string>;
}

/**
 * An agent with tool or capability lists is offered all remaining tools from the start. Other agents may call all of them, but
 * tools that need existing artifacts are described only once there are some, to save context.
 */
export function artifactTool<Input>(store: ArtifactStore, sketch: Sketch<Input>): Tool {
	const { plugin, name, access, after, run, ...rest } = sketch;
	return defineTool<Input>({
		...rest,
		name: `${plugin}_${name}`,
		plugin,
		permissions: [],
		capabilities: [`${plugin}.${access}`],
		isIdle: (agent) => !chooses(agent) && after !== undefined && !after.some((kind) => store.known().has(kind)),
		async run(input, { allows }) {
			try {
				return { output: await run(input, allows), view: { kind: "text" } };
			} catch (error) {
				throw error instanceof ArtifactError ? new ToolError(`${sentence(error.message)} Nothing was changed.`) : error;
			}
		},
	});
}

function chooses(agent: AgentDefinition): boolean {
	const { toolAllowlist, toolDenylist, capabilityAllowlist, capabilityDenylist, toolExposure = "tools" } = agent;
	// With tools exposed as programs, descriptions use no context.
	if (toolAllowlist || capabilityAllowlist || toolExposure !== "tools") return true;
	return [toolDenylist, capabilityDenylist].some((list) => list && list.length > 0);
}

function sentence(text: string): string {
	return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** Finds it by ID, then by name, ignoring case. Throws ArtifactError if none or several match. */
export async function requireArtifact(store: ArtifactStore, kind: ArtifactKind, given: string): Promise<ArtifactSummary> {
	const found = await findArtifact(store, kind, given);
	if (!found) throw new ArtifactError("missing", `There is no ${kind} “${cleanLine(given) ?? ""}”. Look with ${kind}s_list`);
	return found;
}

/** Moves it to the trash, and returns the message for the model. */
export async function trashArtifact(store: ArtifactStore, kind: ArtifactKind, given: string): Promise<string> {
	const { id } = await requireArtifact(store, kind, given);
	await store.remove(kind, id);
	return `The ${kind} ${id} is in the trash; the person can restore it.`;
}

export async function findArtifact(store: ArtifactStore, kind: ArtifactKind, given: string): Promise<ArtifactSummary | undefined> {
	const all = (await store.list()).artifacts.filter((artifact) => artifact.kind === kind);
	const plain = given.trim().toLowerCase();
	const byId = all.find(({ id }) => id === given.trim());
	const byName = all.filter(({ name }) => name.toLowerCase() === plain);
	if (!byId && byName.length > 1) {
		const ids = byName.map(({ id }) => id).join(", ");
		throw new ArtifactError("invalid", `${byName.length} of them are called “${cleanLine(given) ?? ""}”. Name one by its id: ${ids}`);
	}
	return byId ?? byName[0];
}

/** Formats one line of a listing. */
export function summaryLine({ id, name, tags, items, query, updatedAt }: ArtifactSummary): string {
	const count = items && `${items.done} of ${items.total} done`;
	return [
		`${id}: ${name}`,
		...(count ? [count] : []),
		...(query !== undefined ? [query] : []),
		...tagLabels(tags),
		updatedAt.slice(0, 10),
	].join(" · ");
}

export function tagLabels(tags: readonly string[]): string[] {
	return tags.length > 0 ? [tags.map((tag) => `#${tag}`).join(" ")] : [];
}

/** Maximum bytes of a page. */
const PAGE = 24_000;

/** Returns the lines that fit on a page, with a note on how to get the rest. */
export function pageOfLines(lines: readonly string[], start = 1, nothing = "[none]"): string {
	if (lines.length === 0) return nothing;
	if (start > lines.length) return `[there are ${lines.length}]`;
	let left = PAGE;
	let end = start - 1;
	while (end < lines.length && (left >= (lines[end] as string).length || end < start)) {
		left -= Buffer.byteLength(lines[end] as string) + 1;
		end += 1;
	}
	const shown = lines.slice(start - 1, end).join("\n");
	return end < lines.length ? `${shown}\n[${lines.length - end} more; go on with start=${end + 1}]` : shown;
}
