// Labels for permissions, phrased to follow "may", and for approval modes.
import type { Permission } from "../core/role.ts";
import { t } from "./l10n.ts";

export const permissionLabels: Readonly<Record<Permission, string>> = {
	ReadFiles: t("read files"),
	WriteFiles: t("change files"),
	CreateFiles: t("create files"),
	DeleteFiles: t("delete files"),
	ExecuteCommands: t("run commands"),
	Network: t("use the network"),
	ExternalTools: t("use external tools"),
	Delegate: t("delegate to other agents"),
};

const MODES: Record<string, { name(): string; detail(): string }> = {
	ask: { name: () => t("Ask"), detail: () => t("Every change and command requires your approval.") },
	plan: {
		name: () => t("Ask Outside Plans"),
		detail: () => t("A running plan can create and update files. Everything else requires your approval."),
	},
	edits: {
		name: () => t("Ask Except for Edits"),
		detail: () => t("Files are created and updated without asking. Everything else requires your approval."),
	},
	auto: {
		name: () => t("Auto"),
		detail: () =>
			t(
				"Actions that the role permits run without asking. Deleting files, running installers, and network commands still require your approval.",
			),
	},
};

export function approvalModeName(mode: string): string {
	return MODES[mode]?.name() ?? mode;
}

export function approvalModeDetail(mode: string): string {
	return MODES[mode]?.detail() ?? "";
}
