// Says what is left out of a copy or of its changes, and why creating one failed.

import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import { reasonOfCode } from "../../shared/reasonOf.ts";
import { errorCode } from "../files/files.ts";
import type { Omission } from "./copyFiles.ts";

/** Collects omissions; `sentences` returns one sentence for each reason. */
export function createOmissions() {
	const paths = new Map<Omission, string[]>();
	return {
		add(why: Omission, path: string): void {
			const known = paths.get(why);
			if (known) known.push(path);
			else paths.set(why, [path]);
		},
		/** Files that are in the workspace and not in the copy. */
		leftOut: () => LEFT_OUT.flatMap((why) => paths.get(why) ?? []),
		sentences: () => [...paths].map(([why, all]) => SENTENCES[why](summarize(all))),
	};
}

const LEFT_OUT: readonly Omission[] = ["protected", "outside", "special", "unreadable", "sameName"];

const SENTENCES: Record<Omission, (files: string) => string> = {
	protected: (files) => t("Left out, because they are protected from reading: {0}", files),
	outside: (files) => t("Left out, because they lead outside the workspace: {0}", files),
	special: (files) => t("Left out, because they are neither files nor links: {0}", files),
	unreadable: (files) => t("Left out, because the operating system refuses to read them: {0}", files),
	changing: (files) => t("Changed while they were copied: {0}", files),
	sameName: (files) => t("Left out, because other names differ from theirs only in case: {0}", files),
	ignoredSize: (files) => t("Ignored files that were left out, because all of them have more than 500 MB: {0}", files),
	large: (files) => t("Larger than 50 MB, so changes to them can't be taken: {0}", files),
	lfs: (files) => t("Files of Git LFS were copied as they are on this disk: {0}", files),
	nested: (files) => t("Repositories inside the workspace, of which only the files were copied: {0}", files),
};

/** Describes files of the workspace that have another mode in the copy: taking a change leaves their mode. */
export function describeModes(paths: readonly string[]): string[] {
	return paths.length === 0 ? [] : [t("Files that became executable or no longer are, which can't be taken: {0}", summarize(paths))];
}

/** Describes files in the copy that could not be read: they may be work, so the copy stays. */
export function describeUnread(paths: readonly string[]): string[] {
	return paths.length === 0
		? []
		: [t("Can't be read, or have a name that isn't valid text, so they can't be taken: {0}", summarize(paths))];
}

/** The first names, and how many more there are. */
function summarize(paths: readonly string[]): string {
	const named = paths.slice(0, NAMED).join(", ");
	return paths.length > NAMED ? t("{0} and {1} more", named, String(paths.length - NAMED)) : named;
}

const NAMED = 3;

export function createCopyError(error: unknown): unknown {
	const code = errorCode(error) ?? "";
	const reason = reasonOfCode(code);
	if (reason === undefined) return error;
	// The disk isn't full if the files wouldn't fit.
	const text = NO_SPACE.has(code)
		? t("There isn't enough space on the disk to copy the workspace. Nothing was kept. Free some space and try again.")
		: t("The workspace can't be copied. {0} Nothing was kept. Fix the problem, then try again.", reason);
	return new UserError(text, { cause: error });
}

const NO_SPACE: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);
