// What each permission lets one do, as it follows "may", for the person.
import type { Permission } from "../core/role.ts";
import { t } from "./l10n.ts";

export const permissionLabels: Readonly<Record<Permission, string>> = {
	ReadFiles: t("read files"),
	WriteFiles: t("change files"),
	CreateFiles: t("create files"),
	DeleteFiles: t("delete files"),
	ExecuteCommands: t("run commands"),
	Network: t("use the network"),
	ExternalTools: t("use tools from outside"),
	Delegate: t("ask other agents"),
};

const MODES: Record<string, { name(): string; detail(): string }> = {
	ask: { name: () => t("Ask"), detail: () => t("Every change and command requires your approval.") },
	plan: {
		name: () => t("Ask outside plans"),
		detail: () => t("A running plan may create and update files. Everything else requires your approval."),
	},
	edits: {
		name: () => t("Ask except edits"),
		detail: () => t("Files are created and updated without asking. Everything else requires your approval."),
	},
	auto: {
		name: () => t("Auto"),
		detail: () => t("What the role permits runs without asking. Deleting, installers and network commands still require your approval."),
	},
};

export function approvalModeName(mode: string): string {
	return MODES[mode]?.name() ?? mode;
}

export function approvalModeDetail(mode: string): string {
	return MODES[mode]?.detail() ?? "";
}
