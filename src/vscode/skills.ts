// "Review Workspace Skills": what skills of the workspace say, and the person's word that they may count.
import * as vscode from "vscode";
import type { Skill, SkillShelf, WaitingSkill } from "../core/skills.ts";
import { t } from "../l10n.ts";
import { labelText, textOf, visibleLine, visibleLines, visibleText } from "../shared/safeText.ts";
import { consent } from "./consent.ts";
import { notify } from "./dialogs.ts";
import { showText } from "./shownText.ts";

interface SkillItem extends vscode.QuickPickItem {
	waiting?: WaitingSkill;
	skill?: Skill;
	broken?: string;
}

/** `path`: the SKILL.md to begin with. */
export async function reviewSkills(shelf: SkillShelf, path?: string): Promise<void> {
	const items = itemsOf(await shelf.look().then(() => shelf));
	if (items.length === 0) {
		const where = t(
			"There are no skills yet. They lie in .agents/skills, .claude/skills or .github/skills, a folder with a SKILL.md each.",
		);
		return void notify("info", where);
	}
	const given = path === undefined ? undefined : items.find(({ waiting }) => waiting?.path === path);
	const picked =
		given ??
		(await vscode.window.showQuickPick(items, {
			title: t("Review Workspace Skills"),
			placeHolder: t("Skills of the workspace count once you have approved what they say."),
			matchOnDescription: true,
			matchOnDetail: true,
		}));
	if (picked?.waiting) await review(shelf, picked.waiting);
	else if (picked?.skill) await revisit(shelf, picked.skill);
	else if (picked?.broken) await vscode.window.showTextDocument(vscode.Uri.file(picked.broken), { preview: true });
}

/** Says once of each content that it waits. */
export function announceSkills(shelf: SkillShelf, seen: vscode.Memento): vscode.Disposable {
	return shelf.onChange(() => {
		const known = seen.get<string[]>(SEEN, []);
		const fresh = shelf.now().waiting.filter(({ hash }) => !known.includes(hash));
		if (fresh.length === 0) return;
		void seen.update(SEEN, [...known, ...fresh.map(({ hash }) => hash)].slice(-200));
		const names = fresh.map(({ name }) => name).join(", ");
		const open = t("Review…");
		const said = t("Skills of this workspace wait for your review and do not count until then: {0}", names);
		void notify("info", said, open).then((answer) => {
			if (answer === open) void vscode.commands.executeCommand("troupe.reviewSkills");
		});
	});
}

const SEEN = "troupe.skillsSeen";

async function review(shelf: SkillShelf, skill: WaitingSkill): Promise<void> {
	const hidden = await show(shelf, skill, skill.text);
	const whole = hidden.length === 0;
	const question = skill.changed ? t("Approve the skill “{0}” as it is now?", skill.name) : t("Approve the skill “{0}”?", skill.name);
	const detail = t(
		"Agents then read its instructions and follow them within what they may do. Its files stand in the editor behind this; as soon as one changes, you are asked again. Files: {0}.",
		skill.files.length,
	);
	const unseen = whole ? [] : ["", t("These files can't be shown, so the approval ends when this window closes:"), ...hidden];
	const approve = whole ? t("Approve") : t("Approve Until Window Closes");
	if (!(await consent(question, [detail, ...unseen], [approve]))) return;
	await shelf.approve(skill.path, skill.hash, whole);
	void notify("info", t("The skill “{0}” counts. New sessions list it; in others, type /{0}.", skill.name));
}

async function revisit(shelf: SkillShelf, skill: Skill): Promise<void> {
	await show(shelf, skill, await shelf.read(skill, "SKILL.md"));
	if (skill.provider !== "workspace") return;
	const back = t("Take Approval Back");
	const answer = await notify("info", t("The skill “{0}” is approved as it is shown.", skill.name), back);
	if (answer === back) await shelf.disapprove(skill.path);
}

/** Every file whole, line by numbered line. Resolves with those that cannot be shown: no text, or too large. */
async function show(shelf: SkillShelf, skill: Skill, text: string): Promise<string[]> {
	const others = skill.files.filter(({ path }) => path !== "SKILL.md");
	const parts = [numbered(text)];
	const hidden: string[] = [];
	for (const { path, size } of others) {
		const name = `${path} (${size})`;
		const content = await shelf.read(skill, path).then(numbered, (error: Error) => {
			hidden.push(name);
			return visibleText(error.message);
		});
		parts.push("", `═══ ${visibleLine(name)} ═══`, "", content);
	}
	await showText(`${skill.name}.md`, parts.join("\n"));
	return hidden;
}

/** A line without a number is none of the file. */
function numbered(text: string): string {
	const lines = visibleLines(text);
	const width = String(lines.at(-1)?.number ?? 1).length;
	return lines.map((line) => `${String(line.number).padStart(width)}  ${textOf(line)}`).join("\n");
}

function itemsOf(shelf: SkillShelf): SkillItem[] {
	const { waiting, skills, broken } = shelf.now();
	const place = (path: string) => vscode.workspace.asRelativePath(path);
	return [
		...waiting.map((skill) => ({
			label: `$(shield) ${labelText(skill.name)}`,
			description: skill.changed ? t("has changed and waits for you") : t("waits for you"),
			detail: labelText(`${place(skill.path)} · ${skill.description}`),
			waiting: skill,
		})),
		...skills.map((skill) => ({
			label: `$(${skill.provider === "workspace" ? "check" : "account"}) ${labelText(skill.name)}`,
			description: [skill.provider === "workspace" ? t("approved") : t("your own"), ...skill.notes.map(labelText)].join(" · "),
			detail: labelText(`${place(skill.path)} · ${skill.description}`),
			skill,
		})),
		...broken.map(({ label, problem, path }) => ({
			label: `$(warning) ${labelText(label)}`,
			description: t("cannot be used"),
			detail: labelText(`${place(path)} · ${problem}`),
			broken: path,
		})),
	];
}
