// Carries out one edit where there is no disk: each file is looked at once more right before it is written.
import { posix } from "node:path";
import { FileConflict, type VirtualFileSystem } from "../../core/ports/workspace.ts";
import { hashBytes } from "../files/files.ts";
import type { ApplyEdit, Revert } from "../files/preconditions.ts";

export function createVirtualEditApplier(fs: VirtualFileSystem): ApplyEdit {
	/** Makes the folders that are missing. */
	async function folderOf(path: string, reverts: Revert[]): Promise<void> {
		const missing: string[] = [];
		for (let at = posix.dirname(path); !(await fs.stat(at)); at = posix.dirname(at)) missing.push(at);
		const [folder] = missing;
		if (folder === undefined) return;
		// Best effort: an empty folder more does no harm, and somebody may have put something into it.
		reverts.push(async () => {
			for (const made of missing) {
				const left = await fs.readDirectory(made).catch(() => [made]);
				if (left.length === 0) await fs.delete(made, false).catch(() => undefined);
			}
		});
		await fs.createDirectory(folder);
	}

	async function assertFree(path: string): Promise<void> {
		if (await fs.stat(path)) throw Object.assign(new Error(`${path} is there`), { code: "EEXIST" });
	}

	async function assertKnown(path: string, known: Uint8Array): Promise<void> {
		if (hashBytes(await fs.readFile(path)) !== hashBytes(known))
			throw new FileConflict(`${path} has changed while the change was being made. Read it again and repeat the change.`);
	}

	async function put(path: string, content: Uint8Array, before: Uint8Array, reverts: Revert[]): Promise<void> {
		reverts.push(() => fs.writeFile(path, before));
		await fs.writeFile(path, content);
	}

	return async (
		{ edit, realPath: real, realTarget: realTo, before = new Uint8Array(), editorPath: editor },
		_held,
		reverts,
		{ buffers },
	) => {
		if (edit.action === "create") {
			await assertFree(real);
			await folderOf(real, reverts);
			reverts.push(() => fs.delete(real, false));
			return fs.writeFile(real, edit.content);
		}
		if (edit.action === "update" && editor !== undefined && buffers) {
			reverts.push(() => buffers.replace(editor, before));
			return buffers.replace(editor, edit.content);
		}
		await assertKnown(real, before);
		if (edit.action === "update") return put(real, edit.content, before, reverts);
		if (edit.action === "delete") {
			reverts.push(() => fs.writeFile(real, before));
			// Only Undo knows what it removes.
			return fs.delete(real, edit.base !== undefined);
		}
		if (edit.content) await put(real, edit.content, before, reverts);
		const target = realTo ?? edit.to;
		await assertFree(target);
		await folderOf(target, reverts);
		reverts.push(() => fs.rename(target, real));
		return fs.rename(real, target);
	};
}
