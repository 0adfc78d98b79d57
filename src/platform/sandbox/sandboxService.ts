// The sandbox as the gate and the list of approvals use it.
import { t } from "../../shared/l10n.ts";
import type { Sandbox } from "./sandbox.ts";

interface SandboxService {
	/** Checks once. */
	works(): Promise<boolean>;
	/** Returns a message on whether it works here and, if not, why; once known. */
	why(): string;
}

/** `isOff`: disabled in settings. `start`: check now, in the background. */
export function createSandboxService(sandbox: Sandbox, isOff: () => boolean, start: boolean): SandboxService {
	if (start && !isOff()) void sandbox.isAvailable();
	return {
		works: sandbox.isAvailable,
		why: () => (isOff() ? t("The sandbox for commands is turned off.") : sandbox.statusMessage()),
	};
}
