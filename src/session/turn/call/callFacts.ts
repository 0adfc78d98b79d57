// Gathers the facts that the gate needs about a call, and requests its decision.

import { effectiveApprovalMode, strictestMode } from "../../../core/grant.ts";
import { isRecord } from "../../../core/isRecord.ts";
import type { CallAccess, CallFacts, Gate, GateRequest, Grant, TurnCache, Verdict } from "../../../core/ports/gate.ts";
import type { PathFacts, Tool } from "../../../core/ports/tool.ts";
import type { FileEdit } from "../../../core/ports/workspace/files.ts";
import type { Workspace } from "../../../core/ports/workspace.ts";
import { findRemoteSchemas } from "../../../core/protected/remoteSchemas.ts";
import { contentHash } from "../../../shared/node/hash.ts";
import { readAccess } from "../../agent/sessionAgent.ts";
import { listStepPaths } from "../../plans/plans.ts";
import type { TurnContext } from "../../turnContext.ts";
import type { ParsedUse } from "./parse.ts";

export async function gatherCallFacts(gate: Gate, tool: Tool, input: unknown, memo?: TurnCache): Promise<CallFacts> {
	const paths = await Promise.all((tool.paths?.(input) ?? []).map(({ path, use }) => gate.path(path, use)));
	const line = tool.command?.(input);
	const plain = readInputFacts(tool, input);
	return {
		paths,
		...(line && { command: { ...(await gate.command(line.command, line.cwd, memo)), ...(line.outside && { outside: true }) } }),
		...plain,
		...(await findUncheckedUrl(gate, plain.url)),
	};
}

export async function findUncheckedUrl(gate: Gate, url: string | undefined): Promise<Pick<CallFacts, "unchecked">> {
	return url !== undefined && (await gate.unchecked(url)) ? { unchecked: true } : {};
}

/** Facts from the input itself, without disk access or parsing. */
function readInputFacts(tool: Tool, input: unknown): Pick<CallFacts, "url" | "skill" | "peer" | "keptFor"> {
	const url = tool.url?.(input);
	const skill = tool.skill?.(input);
	const peer = tool.peer?.(input);
	const keptFor = tool.keptFor?.(input);
	return {
		...(url !== undefined && { url }),
		...(skill !== undefined && { skill }),
		...(peer !== undefined && { peer }),
		...(keptFor && { keptFor }),
	};
}

/** The denial of a call that no disk access or parsing can change, with a role that would permit the call. */
export async function refuseCall(turn: TurnContext, { called, tool, input }: ParsedUse): Promise<CallDenial | undefined> {
	const { gate, agent, role, ceiling } = turn;
	const plain = tool && input.fits ? readInputFacts(tool, input.value) : {};
	const access = { ...accessOf(turn), ...(await findProgram(turn, tool)) };
	const verdict = gate.refuse({ agent, role, ...(ceiling && { ceiling }), called, tool, access, fits: input.fits, ...plain });
	return verdict && { verdict, ...(tool && (await findPermittingRole(turn, tool, { paths: [], ...plain }, verdict))) };
}

interface CallDenial {
	verdict: Verdict;
	/** Id of a role that would permit the call. */
	offerRole?: string;
}

/** The role that would permit a call that the turn's role refuses. */
export async function findPermittingRole(
	turn: TurnContext,
	tool: Tool,
	facts: CallFacts,
	{ layer }: Verdict,
): Promise<Pick<CallDenial, "offerRole">> {
	if (layer !== "role") return {};
	for (const role of turn.policy.roles()) {
		if (role.id === turn.role.id) continue;
		const { decision } = await authorizeCall({ ...turn, role }, tool, facts);
		if (decision !== "deny") return { offerRole: role.id };
	}
	return {};
}

function accessOf({ policy, workspace, shell, foreign, unclear, byPerson }: TurnContext): CallAccess {
	return {
		...readAccess({ policy, workspace }),
		...(shell !== undefined && { shell }),
		...(foreign !== undefined && { foreign }),
		...(unclear !== undefined && { unclear }),
		...(byPerson && { byPerson }),
	};
}

/** The program for the tool's plugin, if the agent reaches the plugin from a shell but called the tool directly. */
async function findProgram(turn: TurnContext, tool: Tool | undefined): Promise<Pick<CallAccess, "program">> {
	const { services, gate, agent, shell } = turn;
	if (!tool || shell !== undefined || gate.exposure(agent, tool) !== "shell") return {};
	const skills = (await services.cliBridge?.cliSkills(turn, agent)) ?? [];
	const program = skills.find(({ id }) => id === tool.plugin)?.cliPath;
	return program === undefined ? {} : { program };
}

/** `more`: reasons for requiring approval in addition to the one that decided. */
export type CallVerdict = Verdict & { more?: readonly string[] };

export async function authorizeCall(turn: TurnContext, tool: Tool, facts: CallFacts): Promise<CallVerdict> {
	const { services, gate, agent, approved, foreign } = turn;
	const stored = await services.grants.counting(agent.agentId, gate.grantable({ tool, ...facts }));
	const sandbox = foreign === undefined ? await currentSandbox(turn) : withoutSandbox(turn);
	return decide(turn, tool, facts, [...stored, ...approved.of(agent)], sandbox);
}

type Sandbox = NonNullable<GateRequest["sandbox"]>;

/** Our sandbox does not confine what another agent runs. */
function withoutSandbox({ policy }: TurnContext): Sandbox {
	return { mode: policy.settings().sandbox ?? "off", works: false };
}

async function currentSandbox({ services: { sandbox }, policy }: TurnContext): Promise<Sandbox> {
	const mode = policy.settings().sandbox ?? "off";
	const works = mode !== "off" && (await sandbox?.works()) === true;
	return { mode, works, ...(sandbox && !works && { why: sandbox.why() }) };
}

/** Origins and definitions that a call uses, by the gate's names; once allowed, they are known in the session. */
export function listDestinations(gate: Pick<Gate, "grantable">, tool: Tool, { url }: Pick<CallFacts, "url">): string[] {
	if (url === undefined && !tool.external) return [];
	return gate.grantable({ tool, paths: [], ...(url !== undefined && { url }) }).map(({ class: name }) => name);
}

function decide(turn: TurnContext, tool: Tool, facts: CallFacts, grants: readonly Grant[], sandbox: Sandbox): CallVerdict {
	const { policy, workspace, gate, agent, role, ceiling, caller, state, approved, begunByPerson } = turn;
	const settings = policy.settings();
	const request: GateRequest = {
		agent,
		role,
		...(ceiling && { ceiling }),
		tool,
		access: accessOf(turn),
		...facts,
		...(begunByPerson && { begunByPerson }),
		rules: settings.rules,
		grants,
		workspace: workspace.identity(),
		mode: strictestMode(effectiveApprovalMode(state, settings), caller?.approval ?? "auto"),
		// The user approved the plan for their own turns.
		planRuns: state.run !== undefined && !ceiling,
		planNames: listStepPaths(state, workspace),
		canAsk: turn.canAsk,
		destinations: approved.destinations,
		readingCommands: settings.readingCommands,
		sandbox,
	};
	const verdict = gate.authorize(request);
	if (verdict.decision !== "ask") return verdict;
	const { sentences = [verdict.reason] } = verdict;
	const more = gate.reasons(request).filter((reason) => !sentences.includes(reason));
	return more.length > 0 ? { ...verdict, more } : verdict;
}

type ContentFacts = Pick<PathFacts, "scriptsUnchanged" | "runsChanged" | "schemaChanged">;

/** Adds what the gate must know of the new content. A fact whose content does not matter to it is returned as it is. */
export function withContentFacts(
	workspace: Pick<Workspace, "read">,
	paths: readonly PathFacts[],
	edits: readonly FileEdit[],
): Promise<PathFacts[]> {
	return Promise.all(
		paths.map(async (fact) => {
			const edit = edits.find(
				(candidate) => candidate.path === fact.literal || (candidate.action === "rename" && candidate.to === fact.literal),
			);
			if (!edit || !("content" in edit) || !edit.content) return fact;
			const now = textOf(edit.content);
			const isManifest = edit.action === "update" && MANIFEST.test(fact.real);
			const schemas = findRemoteSchemas(fact.real, now);
			if (!isManifest && schemas.size === 0) return fact;
			const source = paths.find(({ literal }) => literal === edit.path) ?? fact;
			const before = edit.action === "create" ? undefined : await workspace.read(source.real).catch(() => undefined);
			const old = before && textOf(before);
			return { ...fact, ...(isManifest && manifestFacts(old, now)), ...schemaFacts(fact.real, old, schemas) };
		}),
	);
}

function textOf(bytes: Uint8Array): string {
	const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "utf-16be" : "utf-8";
	return new TextDecoder(utf16).decode(bytes);
}

/** Fields of a package.json that do not decide what runs before it is installed. */
const HARMLESS = new Set([
	...["name", "displayName", "version", "description", "keywords", "homepage", "bugs", "license", "licenses", "author", "contributors"],
	...[
		"maintainers",
		"funding",
		"repository",
		"private",
		"type",
		"main",
		"module",
		"browser",
		"types",
		"typings",
		"typesVersions",
		"exports",
	],
	...["imports", "files", "sideEffects", "engines", "os", "cpu", "libc", "dependencies", "devDependencies", "peerDependencies"],
	...["peerDependenciesMeta", "optionalDependencies", "bundledDependencies", "bundleDependencies", "$schema"],
	...["publisher", "icon", "galleryBanner", "categories", "badges", "activationEvents", "contributes", "capabilities", "l10n", "preview"],
	...["pricing", "qna", "sponsor", "extensionKind", "extensionPack", "extensionDependencies", "enabledApiProposals"],
]);

const MANIFEST = /(^|\/)package\.json$/i;

function manifestFacts(before: string | undefined, after: string): ContentFacts {
	const [old, now] = [parseJson(before), parseJson(after)];
	if (!old || !now || !same(old["scripts"], now["scripts"])) return { scriptsUnchanged: false };
	const keys = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter((key) => key !== "scripts" && !HARMLESS.has(key));
	return { scriptsUnchanged: true, ...(keys.some((key) => !same(old[key], now[key])) && { runsChanged: true }) };
}

function parseJson(text: string | undefined): Record<string, unknown> | undefined {
	try {
		const found: unknown = text === undefined ? undefined : JSON.parse(text);
		return isRecord(found) ? found : undefined;
	} catch {
		return undefined;
	}
}

function same(left: unknown, right: unknown): boolean {
	return contentHash(left ?? null) === contentHash(right ?? null);
}

function schemaFacts(path: string, before: string | undefined, after: ReadonlySet<string>): ContentFacts {
	const known = before === undefined ? undefined : findRemoteSchemas(path, before);
	return [...after].every((address) => known?.has(address)) ? {} : { schemaChanged: true };
}
