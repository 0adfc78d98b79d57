// The edit that takes a reported change back, provided that the file is still what the change made of it.
import type { FileChange } from "../../core/events.ts";
import { formatDisplayPath } from "../../core/paths.ts";
import type { BlobStore } from "../../core/ports/sessions.ts";
import { ToolError } from "../../core/ports/tool.ts";
import { FileConflict, type FileVersion } from "../../core/ports/workspace.ts";
import { t } from "../../shared/l10n.ts";
import type { CheckedEdit, FileOperationContext } from "./preconditions.ts";

/** Throws FileConflict when the file has moved on, ToolProblem when its earlier bytes are not kept. */
export async function invertChange(change: FileChange, around: FileOperationContext & { blobs: BlobStore }): Promise<CheckedEdit> {
	const { path } = change;
	const name = formatDisplayPath(path, around.folders());
	const now = await around.files.version(path);
	const moved = () => new FileConflict(t("{0} has moved on since this change.", name));
	if (change.action === "delete") {
		if (now) throw new FileConflict(t("{0} is there again since it was deleted.", name));
		return { path, action: "create", content: await earlier(change, name, around.blobs) };
	}
	if (now?.hash !== change.after) throw moved();
	const base: FileVersion = now;
	if (change.action === "create") return { path, action: "delete", base };
	if (change.action === "update") return { path, action: "update", content: await earlier(change, name, around.blobs), base };
	if (change.from === undefined) throw new ToolError(t("It is not known where {0} was before; rename it by hand.", name));
	if (!change.before || change.before.blob === change.after) return { path, action: "rename", to: change.from, base };
	return { path, action: "rename", to: change.from, base, content: await earlier(change, name, around.blobs) };
}

async function earlier(change: FileChange, name: string, blobs: BlobStore): Promise<Uint8Array> {
	const bytes = change.before && (await blobs.get(change.before.blob));
	if (!bytes) throw new ToolError(t("What {0} held before is not kept, so this change cannot be undone here. Use version control.", name));
	return bytes;
}
