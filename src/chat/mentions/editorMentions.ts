// What @selection, @problems, @terminal and @changes bring along: the editor's own view of things.

import { isAbsolute } from "node:path";
import type { Diagnostic } from "../../core/ports/workspace.ts";
import type { Services } from "../../session/context.ts";
import { toDisplayPath } from "../../session/displayPaths.ts";
import { t } from "../../shared/l10n.ts";
import type { EditorMentionKind, ResolvedMention } from "./mention.ts";

type MayRead = (path: string) => Promise<object | { left: string }>;
type Brings = (services: Services, mayRead: MayRead) => Promise<ResolvedMention>;

export function resolveEditorMention(kind: EditorMentionKind, services: Services, mayRead: MayRead): Promise<ResolvedMention> {
	return brings[kind](services, mayRead);
}

const PROBLEMS = 200;
/** Characters of the newest terminal output. */
const TERMINAL = 30_000;
const SEVERITIES: readonly Diagnostic["severity"][] = ["error", "warning", "info", "hint"];

const brings: Record<EditorMentionKind, Brings> = {
	async selection({ facts, workspace }, mayRead) {
		const found = facts.selection();
		if (!found || found.text === "") return { left: t("@selection was left out: nothing is selected in the editor.") };
		const { path, lines, text } = found;
		const judged = isAbsolute(path) ? await mayRead(path) : {};
		if ("left" in judged && typeof judged.left === "string") return { left: judged.left };
		const shown = isAbsolute(path) ? toDisplayPath(workspace, path) : path;
		const where = { label: "selection", path: shown, lines };
		return { attachment: { kind: "selection", ...where, text: `${shown}, lines ${lines[0]} to ${lines[1]}\n${text}` } };
	},
	async problems({ workspace, gate }) {
		const found = await workspace.diagnostics();
		const paths = [...new Set(found.map(({ path }) => path))];
		const shown = new Set(paths.filter(await filterOf(paths, (path) => gate.visible(path))));
		const rank = ({ severity }: Diagnostic) => SEVERITIES.indexOf(severity);
		const listed = found.filter(({ path }) => shown.has(path)).sort((left, right) => rank(left) - rank(right));
		const lines = listed.slice(0, PROBLEMS).map(({ path, line, severity, message, source }) => {
			return `${toDisplayPath(workspace, path)}:${line}: ${severity}: ${message}${source ? ` (${source})` : ""}`;
		});
		if (listed.length > PROBLEMS) lines.push(`[${listed.length - PROBLEMS} more]`);
		return { attachment: { kind: "problems", label: "problems", text: lines.join("\n") || "[the editor shows no problems]" } };
	},
	async terminal({ facts }) {
		const text = facts.terminal();
		if (text.trim() === "")
			return { left: t("@terminal was left out: no terminal with shell integration has shown anything since Troupe started.") };
		const cut = text.length > TERMINAL ? `[${text.length - TERMINAL} earlier characters left out]\n${text.slice(-TERMINAL)}` : text;
		return { attachment: { kind: "terminal", label: "terminal", text: cut } };
	},
	async changes({ facts, gate }) {
		const found = await facts.changes((path) => gate.visible(path));
		if (!found) return { left: t("@changes was left out: this folder is no git repository, or git did not answer.") };
		const parts = [
			found.diff.trimEnd(),
			...(found.untracked.length > 0 ? [`New files that git does not track yet:\n${found.untracked.join("\n")}`] : []),
			...(found.hidden > 0 ? [`[${found.hidden} protected files not shown]`] : []),
		].filter((part) => part !== "");
		return { attachment: { kind: "changes", label: "changes", text: parts.join("\n\n") || "[nothing differs from the last commit]" } };
	},
};

async function filterOf<T>(items: readonly T[], test: (item: T) => Promise<boolean>): Promise<(item: T) => boolean> {
	const passed = await Promise.all(items.map(test));
	const answers = new Map(items.map((item, index) => [item, passed[index] === true]));
	return (item) => answers.get(item) === true;
}
