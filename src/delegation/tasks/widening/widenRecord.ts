// Gives a task the permissions of a wider role of its caller, as the user wants it.
import type { TaskRecord } from "../../../core/task.ts";
import { formatList, t } from "../../../shared/l10n.ts";
import { permissionLabels } from "../../../shared/permissionLabels.ts";
import { withoutDenials } from "./deniedCalls.ts";
import type { WiderRole } from "./widerRole.ts";

/** Where the task's calls say who made them, that is its starter in the new role. */
export function widenRecord(record: TaskRecord, { role, ceiling }: WiderRole): TaskRecord {
	const { caller, resumed: _, ...rest } = withoutDenials(record);
	return { ...rest, ceiling, caller: { ...caller, role: role.peerRole ?? role.id, ceiling } };
}

/** For the person. */
export function describeWidening({ role, ceiling }: WiderRole): string {
	const may = formatList(ceiling.map((permission) => permissionLabels[permission]));
	return t("You continued the task as {0}. It may now: {1}.", role.label, may);
}

/** For the model. */
export function formatWidening({ ceiling }: WiderRole): string {
	return `The person continued this task with more permissions: ${ceiling.join(", ")}. What was refused for want of them may be possible now. Look at what was done, and go on with the task.`;
}
