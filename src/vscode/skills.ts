// "Review Workspace Skills": shows skills and lets the user approve or revoke them.
import * as vscode from "vscode";
import type { Skill, SkillLibrary, UnapprovedSkill } from "../core/ports/skills.ts";
import { t } from "../shared/l10n.ts";
import { reasonOf } from "../shared/reasonOf.ts";
import { escapeLabel, joinSegments, visibleLine, visibleLines, visibleText } from "../shared/safeText.ts";
import { type Clock, isDeliberate, windowClock } from "./consent.ts";
import { showNotification } from "./notifications.ts";
import { showReadOnlyText, type TextAction } from "./readOnlyText.ts";

type Log = (line: string) => void;

interface LoggedLibrary {
	library: SkillLibrary;
	log: Log;
}

interface SkillItem extends vscode.QuickPickItem {
	waiting?: UnapprovedSkill;
	skill?: Skill;
	broken?: string;
}

/** `path`: the SKILL.md to review first. */
export async function reviewSkills(
	{ skills: library, log }: { skills: SkillLibrary; log: Log },
	path?: string,
	clock: Clock = windowClock,
): Promise<void> {
	const items = itemsOf(await library.look().then(() => library));
	if (items.length === 0) {
		const where = t("No skills yet. Add a folder with a SKILL.md file to .agents/skills, .claude/skills, or .github/skills.");
		return void showNotification("info", where);
	}
	const given = path === undefined ? undefined : items.find(({ waiting }) => waiting?.path === path);
	const picked =
		given ??
		(await vscode.window.showQuickPick(items, {
			title: t("Review Workspace Skills"),
			placeHolder: t("Skills in this workspace are used only after you approve them."),
			matchOnDescription: true,
			matchOnDetail: true,
		}));
	if (picked?.waiting) await review(library, picked.waiting, clock, log);
	else if (picked?.skill) await revisit(library, picked.skill, log);
	else if (picked?.broken) await vscode.window.showTextDocument(vscode.Uri.file(picked.broken), { preview: true });
}

/** Opens the text with the approval button above it, so nothing covers the text. */
async function review(library: SkillLibrary, skill: UnapprovedSkill, clock: Clock, log: Log): Promise<void> {
	const { parts, hidden } = await contents({ library, log }, skill, skill.text);
	const isComplete = hidden.length === 0;
	const shown = clock.now();
	const approve: TextAction = {
		title: isComplete ? t("Approve") : t("Approve Until Window Closes"),
		run: () => approveRead({ library, log }, skill, isComplete, () => isDeliberate(shown, clock)),
	};
	const head = [
		skill.changed
			? t("This skill has changed since you approved it.")
			: t("This skill is defined in the workspace. Review and approve it before use."),
		t(
			"Agents follow the skill's instructions within their permissions. If one of its files changes, you're asked to approve the skill again.",
		),
		...(isComplete ? [] : ["", t("These files can't be shown, so the approval ends when this window closes:"), ...hidden.map(visibleLine)]),
	];
	await showReadOnlyText(`${skill.name}.md`, [...head, "", ...parts].join("\n"), [approve]);
	// If code lenses are disabled, a notification offers the button.
	if (vscode.workspace.getConfiguration("editor").get("codeLens") !== false) return;
	void showNotification("info", t("Review the skill “{0}”, then approve it here.", skill.name), approve.title).then((answer) =>
		answer === approve.title ? approve.run() : false,
	);
}

async function approveRead(
	{ library, log }: LoggedLibrary,
	skill: UnapprovedSkill,
	isComplete: boolean,
	isIntended: () => Promise<boolean>,
): Promise<boolean> {
	if (!(await isIntended())) {
		void showNotification("info", t("Please confirm again: the previous click came too quickly."));
		return false;
	}
	try {
		await library.approve(skill.path, skill.hash, isComplete);
	} catch (error) {
		void showNotification("warning", reasonOf(error, log));
		return false;
	}
	void showNotification("info", t("Skill “{0}” approved. New sessions list the skill. In other sessions, enter /{0}.", skill.name));
	return true;
}

async function revisit(library: SkillLibrary, skill: Skill, log: Log): Promise<void> {
	const { parts } = await contents({ library, log }, skill, await library.read(skill, "SKILL.md"));
	const revoke: TextAction = {
		title: t("Revoke Approval"),
		async run() {
			await library.disapprove(skill.path);
			void showNotification("info", t("Approval for skill “{0}” revoked. Agents no longer use the skill.", skill.name));
			return true;
		},
	};
	await showReadOnlyText(`${skill.name}.md`, parts.join("\n"), skill.provider === "workspace" ? [revoke] : []);
}

/** All files with numbered lines, and the names of those that are binary or too large. */
async function contents({ library, log }: LoggedLibrary, skill: Skill, text: string): Promise<{ parts: string[]; hidden: string[] }> {
	const others = skill.files.filter(({ path }) => path !== "SKILL.md");
	const parts = [numbered(text)];
	const hidden: string[] = [];
	for (const { path, size } of others) {
		const name = `${path} (${size})`;
		const content = await library.read(skill, path).then(numbered, (error: unknown) => {
			hidden.push(name);
			return visibleText(reasonOf(error, log));
		});
		parts.push("", `═══ ${visibleLine(name)} ═══`, "", content);
	}
	return { parts, hidden };
}

/** Lines without a number are not part of the file. */
function numbered(text: string): string {
	const lines = visibleLines(text);
	const width = String(lines.at(-1)?.number ?? 1).length;
	return lines.map((line) => `${String(line.number).padStart(width)}  ${joinSegments(line)}`).join("\n");
}

function itemsOf(library: SkillLibrary): SkillItem[] {
	const { waiting, skills, broken } = library.now();
	const place = (path: string) => vscode.workspace.asRelativePath(path);
	return [
		...waiting.map((skill) => ({
			label: `$(shield) ${escapeLabel(skill.name)}`,
			description: skill.changed ? t("changed, needs your review") : t("needs your attention"),
			detail: escapeLabel(`${place(skill.path)} · ${skill.description}`),
			waiting: skill,
		})),
		...skills.map((skill) => ({
			label: `$(${skill.provider === "workspace" ? "check" : "account"}) ${escapeLabel(skill.name)}`,
			description: [skill.provider === "workspace" ? t("approved") : t("your own"), ...skill.notes.map(escapeLabel)].join(" · "),
			detail: escapeLabel(`${place(skill.path)} · ${skill.description}`),
			skill,
		})),
		...broken.map(({ label, problem, path }) => ({
			label: `$(warning) ${escapeLabel(label)}`,
			description: t("can't be used"),
			detail: escapeLabel(`${place(path)} · ${problem}`),
			broken: path,
		})),
	];
}
