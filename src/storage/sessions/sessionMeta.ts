// session.json: who a session is. What it has done is in its transcript.
import { join } from "node:path";
import type { SessionSummary } from "../../core/events.ts";
import { type Files, isRecord, parseJson, readText, writeAtomically } from "../files.ts";
import { exclusively } from "../json/fileLock.ts";

export interface Identity {
	/** Agent and role it starts with; events in the transcript come after. */
	agentId: string;
	role: string;
	createdAt: string;
	/** Counts where the transcript says nothing later. */
	updatedAt?: string;
	name?: string;
	pinnedAt?: string;
	attributes?: Record<string, unknown>;
}

/** A value of undefined takes the field away. */
export type SessionChange = { [Field in keyof SessionSummary]?: SessionSummary[Field] | undefined };

export const IDENTITY = "session.json";

/** What a session is whose session.json cannot be read: it may do the least. */
const UNREADABLE: Pick<Identity, "agentId" | "role"> = { agentId: "default", role: "planner" };

/** Undefined for a session from before there were identities. */
export async function readIdentity(files: Files, folder: string): Promise<Identity | undefined> {
	const text = await readText(files, join(folder, IDENTITY));
	if (text === undefined) return undefined;
	const identity = parseIdentity(parseJson(text));
	if (identity) return identity;
	const { birthtime } = await files.stat(folder);
	return { ...UNREADABLE, createdAt: birthtime.toISOString() };
}

export function parseIdentity(value: unknown): Identity | undefined {
	if (!isRecord(value)) return undefined;
	const { agentId, role, createdAt, updatedAt, name, pinnedAt, attributes } = value;
	if (typeof agentId !== "string" || typeof role !== "string" || typeof createdAt !== "string") return undefined;
	return {
		agentId,
		role,
		createdAt,
		...(typeof updatedAt === "string" && { updatedAt }),
		...(typeof name === "string" && { name }),
		...(typeof pinnedAt === "string" && { pinnedAt }),
		...(isRecord(attributes) && { attributes }),
	};
}

export async function writeIdentity(files: Files, folder: string, identity: Identity): Promise<void> {
	await writeAtomically(files, join(folder, IDENTITY), `${JSON.stringify(identity, undefined, "\t")}\n`);
}

/** Changes an identity as it is on disk now: another window may have changed another field of it. */
export async function changeIdentity(files: Files, folder: string, base: Identity, change: SessionChange): Promise<void> {
	await exclusively(files, join(folder, `${IDENTITY}.lock`), async () => {
		const current = (await readIdentity(files, folder)) ?? base;
		const changed = parseIdentity({ ...current, ...change, createdAt: current.createdAt });
		if (!changed) throw new TypeError("a session needs an agent and a role");
		await writeIdentity(files, folder, changed);
	});
}
