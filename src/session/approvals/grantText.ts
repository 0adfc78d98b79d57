// Formats what an approval covers, for approval cards and for the list of approvals.

import { ANY_WORKSPACE, type GrantRecord } from "../../core/grant.ts";
import type { Grantable } from "../../core/ports/gate.ts";
import { formatDateTime, formatList, t } from "../../shared/l10n.ts";

type Kind = "external" | "origin" | "edit" | "create" | "rename" | "patch" | "tool" | "line" | "class";

const CHANGING: Readonly<Record<string, Kind>> = {
	update_file: "edit",
	create_file: "create",
	rename_file: "rename",
	apply_patch: "patch",
};

export function grantKind({ tool, class: covered, external, line }: Grantable): Kind {
	if (external) return "external";
	if (covered === tool) return CHANGING[tool] ?? "tool";
	if (line) return "line";
	return /^https?:\/\//.test(covered) ? "origin" : "class";
}

/** `anywhere` names no scope because the scope is shown next to it. */
type Reach = "session" | "always" | "anywhere";

/** `files`: names of the files that the approval is bound to. */
type Sentence = (name: string, files: string) => string;

const unbound: Record<Reach, Record<Kind, Sentence>> = {
	session: {
		external: (tool) => t("Allows {0} in this session until its definition changes.", tool),
		origin: (origin) => t("Allows fetching from {0} in this session.", origin),
		edit: () => t("Allows this agent to edit files in this session, except protected ones."),
		create: () => t("Allows this agent to create files in this session, except protected ones."),
		rename: () => t("Allows this agent to rename files in this session, except protected ones."),
		patch: () => t("Allows this agent to patch files in this session, except protected ones."),
		tool: (tool) => t("Allows {0} in this session.", tool),
		line: (line) => t("Allows only this exact command in this session: {0}", line),
		class: (name) => t("Allows {0} in this session.", name),
	},
	always: {
		external: (tool) => t("Allows {0} in this workspace until its definition changes.", tool),
		origin: (origin) => t("Allows fetching from {0} in this workspace.", origin),
		edit: () => t("Allows this agent to edit files in this workspace, except protected ones."),
		create: () => t("Allows this agent to create files in this workspace, except protected ones."),
		rename: () => t("Allows this agent to rename files in this workspace, except protected ones."),
		patch: () => t("Allows this agent to patch files in this workspace, except protected ones."),
		tool: (tool) => t("Allows {0} in this workspace.", tool),
		line: (line) => t("Allows only this exact command in this workspace: {0}", line),
		class: (name) => t("Allows {0} in this workspace.", name),
	},
	anywhere: {
		external: (tool) => t("Allows {0} until its definition changes.", tool),
		origin: (origin) => t("Allows fetching from {0}.", origin),
		edit: () => t("Allows this agent to edit files, except protected ones."),
		create: () => t("Allows this agent to create files, except protected ones."),
		rename: () => t("Allows this agent to rename files, except protected ones."),
		patch: () => t("Allows this agent to patch files, except protected ones."),
		tool: (tool) => t("Allows {0}.", tool),
		line: (line) => t("Allows only this exact command: {0}", line),
		class: (name) => t("Allows {0}.", name),
	},
};

const bound: Record<Reach, Record<"line" | "class", Sentence>> = {
	session: {
		line: (line, files) => t("Allows only this exact command in this session until {1} changes: {0}", line, files),
		class: (name, files) => t("Allows {0} in this session until its definition in {1} changes.", name, files),
	},
	always: {
		line: (line, files) => t("Allows only this exact command in this workspace until {1} changes: {0}", line, files),
		class: (name, files) => t("Allows {0} in this workspace until its definition in {1} changes.", name, files),
	},
	anywhere: {
		line: (line, files) => t("Allows only this exact command until {1} changes: {0}", line, files),
		class: (name, files) => t("Allows {0} until its definition in {1} changes.", name, files),
	},
};

/** Bound to files whose names were not recorded. */
const unnamed: Record<Reach, Record<"line" | "class", Sentence>> = {
	session: {
		line: (line) => t("Allows only this exact command in this session until its program changes: {0}", line),
		class: (name) => t("Allows {0} in this session until its definition changes.", name),
	},
	always: {
		line: (line) => t("Allows only this exact command in this workspace until its program changes: {0}", line),
		class: (name) => t("Allows {0} in this workspace until its definition changes.", name),
	},
	anywhere: {
		line: (line) => t("Allows only this exact command until its program changes: {0}", line),
		class: (name) => t("Allows {0} until its definition changes.", name),
	},
};

/** Exactly what an approval covers, in one sentence. */
export function formatCoverage(grantable: Grantable, reach: Reach): string {
	const kind = grantKind(grantable);
	const name = kind === "external" ? grantable.tool : grantable.class;
	if (grantable.scriptsHash === undefined || (kind !== "line" && kind !== "class")) return unbound[reach][kind](name, "");
	return grantable.bound?.length ? bound[reach][kind](name, formatList(grantable.bound)) : unnamed[reach][kind](name, "");
}

/** The workspaces that the approval applies in, shown next to its name. */
export function formatPlace(record: Pick<GrantRecord, "workspace" | "place">, here: boolean): string {
	if (record.workspace === ANY_WORKSPACE) return t("in all workspaces");
	return here ? t("in this workspace") : t("in the workspace {0}", record.place ?? record.workspace.slice(0, 8));
}

/** Says when it was given, and whether the user wrote it. */
export function formatSince({ at, written }: Pick<GrantRecord, "at" | "written">): string {
	return written ? t("Added by you, first used on {0}.", formatDateTime(at)) : t("Approved on {0}.", formatDateTime(at));
}

/** The condition other than its binding that ends it. */
export function formatEndCondition({ definition }: Pick<GrantRecord, "definition">): string | undefined {
	return definition === undefined ? undefined : t("Ends when the workspace file that defines the agent changes.");
}

/** Describes an entry without a record. */
export function formatUnusedEntry(): string {
	return t("Added by you and not used yet. Applies in all workspaces.");
}
