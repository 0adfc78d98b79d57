// Judges a change in a task's copy as a write by the person at its real path.

import { toDisplayPath } from "../../core/paths.ts";
import type { CopyChange } from "../../core/ports/copies.ts";
import type { GateRequest, ToolDeclaration } from "../../core/ports/gate.ts";
import type { PathUse } from "../../core/ports/tool.ts";
import type { FileEdit } from "../../core/ports/workspace/files.ts";
import { EVERYTHING, PERSON } from "../../session/agent/person.ts";
import type { SessionSetup } from "../../session/services.ts";
import { withContentFacts } from "../../session/turn/call/callFacts.ts";
import { t } from "../../shared/l10n.ts";

/** `apart`: protected, or it runs by itself, so it is taken only when it is named. `refused`: it can't be taken. */
export type ChangeGroup = "takeable" | "apart" | "refused";

interface JudgedChange {
	group: ChangeGroup;
	/** Reason why it isn't takeable, as a sentence for the user. */
	reason?: string;
	/** Location that its real path leads to. */
	target: string;
}

/** `content`: what would be written; absent for a deleted file. */
export async function judgeChange(
	{ services, policy }: SessionSetup,
	change: CopyChange,
	content: Uint8Array | undefined,
): Promise<JudgedChange> {
	const { workspace, gate } = services.window;
	const given = toDisplayPath(workspace, change.real);
	const { use, tool } = WRITES[change.action];
	const fact = { ...(await gate.path(change.real, use)), given };
	const judged = (group: ChangeGroup, reason?: string) => ({ group, target: fact.real, ...(reason !== undefined && { reason }) });
	if (change.link !== undefined) return judged("refused", t("{0} is a link, and only files are taken.", given));
	if (change.ignored) return judged("refused", t("Git ignores {0}, so it stays in the copy.", given));
	if (change.action !== "delete" && change.now === undefined)
		return judged("refused", t("{0} has more than 50 MB or can't be read, so it can't be taken.", given));
	// Its sentence is for who wrote the path.
	if (fact.refused !== undefined)
		return judged("refused", t("Troupe can't write to {0}, so it can't be taken. It is in the copy at {1}.", given, change.copied));
	if (fact.literalInside === undefined || fact.realInside === undefined)
		return judged("refused", t("{0} is now outside the workspace, so it can't be taken.", given));
	const { rules } = policy.settings();
	const request: GateRequest = {
		agent: PERSON,
		role: EVERYTHING,
		tool,
		access: { pluginsOff: [], byPerson: true },
		paths: content ? await withContentFacts(workspace, [fact], [toEdit(change, fact.literal, content)]) : [fact],
		// What a rule allows an agent is still named by the person here.
		rules: "invalid" in rules ? rules : { ...rules, allow: [] },
		grants: [],
		workspace: workspace.identity(),
		// The mode that asks about files that run by themselves.
		mode: "edits",
		planRuns: false,
		canAsk: true,
	};
	const verdict = gate.authorize(request);
	if (verdict.decision === "allow") return judged("takeable");
	if (verdict.decision === "deny") return judged("refused", verdict.reason);
	if (verdict.rule !== DELETION) return judged("apart", verdict.reason);
	// The person sees which files are deleted; what else would be asked about them counts.
	const others = gate.reasons(request).filter((reason) => reason !== verdict.reason);
	return others[0] === undefined ? judged("takeable") : judged("apart", others[0]);
}

/** The gate's name for its question about every deleted file. */
const DELETION = "delete";

const write = (name: string, permission: "WriteFiles" | "CreateFiles" | "DeleteFiles"): ToolDeclaration => ({
	name,
	plugin: "files",
	permissions: [permission],
	capabilities: [],
});

const WRITES: Record<CopyChange["action"], { use: PathUse; tool: ToolDeclaration }> = {
	update: { use: "write", tool: write("update_file", "WriteFiles") },
	create: { use: "create", tool: write("create_file", "CreateFiles") },
	delete: { use: "delete", tool: write("delete_file", "DeleteFiles") },
};

function toEdit({ action }: CopyChange, path: string, content: Uint8Array): FileEdit {
	if (action === "create") return { path, action, content };
	return { path, action: "update", content, base: { size: 0, mtime: 0, hash: "" } };
}

/** Returns true if the gate's answer depends on the content: scripts of packages, and schemas that editors fetch. */
export function needsContent({ action, path, diff }: CopyChange): boolean {
	return action !== "delete" && (/(^|\/)package\.json$/i.test(path) || diff === "" || /schema|\$ref|\\u/i.test(diff));
}
