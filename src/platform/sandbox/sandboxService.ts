// The sandbox as the gate and the list of approvals ask for it.
import { t } from "../../shared/l10n.ts";
import type { Sandbox } from "./sandbox.ts";

interface SandboxService {
	/** Found out once. */
	works(): Promise<boolean>;
	/** Once it is known: whether it works here, and why not. */
	why(): string;
}

/** `isOff`: by the person's settings. `start`: whether it is found out now, in the background. */
export function createSandboxService(sandbox: Sandbox, isOff: () => boolean, start: boolean): SandboxService {
	if (start && !isOff()) void sandbox.isAvailable();
	return {
		works: sandbox.isAvailable,
		why: () => (isOff() ? t("The sandbox for commands is turned off.") : sandbox.statusMessage()),
	};
}
