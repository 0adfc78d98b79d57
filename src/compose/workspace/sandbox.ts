// The sandbox for commands, with what the settings, the gate and our storage say of it.
import { join } from "node:path";
import { protectedName } from "../../gate/hostProtection.ts";
import type { PlatformOptions } from "../../platform/platform.ts";
import type { Sandbox } from "../../platform/sandbox/sandbox.ts";
import type { Services } from "../../session/context.ts";
import type { TroupeSettings } from "../../settings/settings.ts";
import { t } from "../../shared/l10n.ts";

interface Parts {
	/** Our storage for this workspace. */
	root: string;
	/** Our storage for all of them. */
	shared: string;
	/** Further storages that are read. */
	also: readonly string[];
	settings(): TroupeSettings;
	log(line: string): void;
}

export function createSandboxOptions({ root, shared, also, settings, log }: Parts): NonNullable<PlatformOptions["sandbox"]> {
	return {
		hiddenFolders: [root, shared, ...also],
		readableFolders: [join(shared, "programs")],
		cacheFolder: join(root, "caches"),
		writableCaches: () => settings().sandboxWritable,
		isProtected: (inside) => protectedName(inside, "write") !== undefined,
		log,
	};
}

/** As the gate and the list of approvals ask for it. `start`: whether it is found out now, in the background. */
export function createSandboxService(
	sandbox: Sandbox | undefined,
	settings: () => TroupeSettings,
	start: boolean,
): Pick<Services, "sandbox"> {
	if (!sandbox) return {};
	if (start && settings().sandbox !== "off") void sandbox.isAvailable();
	return {
		sandbox: {
			works: sandbox.isAvailable,
			why: () => (settings().sandbox === "off" ? t("The sandbox for commands is turned off.") : sandbox.statusMessage()),
		},
	};
}
