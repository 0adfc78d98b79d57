// What each permission lets one do, as it follows "may", for the person.
import type { Permission } from "../core/permissions.ts";
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
