// "Review Workspace Skills": what skills of the workspace say, and the person's word that they may count.
import * as vscode from "vscode";
import type { Skill, SkillShelf, WaitingSkill } from "../core/skills.ts";
import { t } from "../l10n.ts";
import { visibleText } from "../shared/safeText.ts";
import { consent } from "./consent.ts";

const SCHEME = "troupe-skill";
/** Files that a question names one by one. */
const NAMED = 20;

interface SkillItem extends vscode.QuickPickItem {
	waiting?: WaitingSkill;
	skill?: Skill;
	broken?: string;
}

const pages = new Map<string, string>();
let registered = false;

/** `path`: the SKILL.md to begin with. */
export async function reviewSkills(shelf: SkillShelf, path?: string): Promise<void> {
	const items = itemsOf(await shelf.look().then(() => shelf));
	if (items.length === 0) {
		const where = t(
			"There are no skills yet. They lie in .agents/skills, .claude/skills or .github/skills, a folder with a SKILL.md each.",
		);
		return void vscode.window.showInformationMessage(where);
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
		void vscode.window.showInformationMessage(said, open).then((answer) => {
			if (answer === open) void vscode.commands.executeCommand("troupe.reviewSkills");
		});
	});
}

const SEEN = "troupe.skillsSeen";

async function review(shelf: SkillShelf, skill: WaitingSkill): Promise<void> {
	const hidden = await show(shelf, skill, skill.text);
	const question = skill.changed ? t("Approve the skill “{0}” as it is now?", skill.name) : t("Approve the skill “{0}”?", skill.name);
	const detail = t(
		"Agents then read its instructions and follow them within what they may do. Its files stand in the editor behind this; as soon as one changes, you are asked again. Files: {0}.",
		skill.files.length,
	);
	const named = hidden.length > NAMED ? [...hidden.slice(0, NAMED), t("and {0} more", hidden.length - NAMED)] : hidden;
	const unseen = hidden.length > 0 ? `\n\n${t("These cannot be shown, and are approved all the same:")}\n${named.join("\n")}` : "";
	if (!(await consent(question, detail + unseen, [t("Approve")]))) return;
	await shelf.approve(skill.path, skill.hash);
	void vscode.window.showInformationMessage(t("The skill “{0}” counts. New sessions list it; in others, type /{0}.", skill.name));
}

async function revisit(shelf: SkillShelf, skill: Skill): Promise<void> {
	await show(shelf, skill, await shelf.read(skill, "SKILL.md"));
	if (skill.provider !== "workspace") return;
	const back = t("Take Approval Back");
	const answer = await vscode.window.showInformationMessage(t("The skill “{0}” is approved as it is shown.", skill.name), back);
	if (answer === back) await shelf.disapprove(skill.path);
}

/** Every file whole, with what is invisible or deceives made visible. Resolves with those that cannot be shown: no text, or too large. */
async function show(shelf: SkillShelf, skill: Skill, text: string): Promise<string[]> {
	const others = skill.files.filter(({ path }) => path !== "SKILL.md");
	const parts = [visibleText(text)];
	const hidden: string[] = [];
	for (const { path, size } of others) {
		const name = `${visibleText(path)} (${size})`;
		const content = await shelf.read(skill, path).then(visibleText, (error: Error) => {
			hidden.push(name);
			return error.message;
		});
		parts.push("", `═══ ${name} ═══`, "", content);
	}
	if (!registered) {
		vscode.workspace.registerTextDocumentContentProvider(SCHEME, { provideTextDocumentContent: ({ query }) => pages.get(query) ?? "" });
		registered = true;
	}
	pages.clear();
	pages.set(skill.hash, parts.join("\n"));
	const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${skill.name}.md`, query: skill.hash });
	await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
	return hidden;
}

function itemsOf(shelf: SkillShelf): SkillItem[] {
	const { waiting, skills, broken } = shelf.now();
	const place = (path: string) => vscode.workspace.asRelativePath(path);
	return [
		...waiting.map((skill) => ({
			label: `$(shield) ${skill.name}`,
			description: skill.changed ? t("has changed and waits for you") : t("waits for you"),
			detail: `${place(skill.path)} · ${skill.description}`,
			waiting: skill,
		})),
		...skills.map((skill) => ({
			label: `$(${skill.provider === "workspace" ? "check" : "account"}) ${skill.name}`,
			description: [skill.provider === "workspace" ? t("approved") : t("your own"), ...skill.notes].join(" · "),
			detail: `${place(skill.path)} · ${skill.description}`,
			skill,
		})),
		...broken.map(({ label, problem, path }) => ({
			label: `$(warning) ${label}`,
			description: t("cannot be used"),
			detail: `${place(path)} · ${problem}`,
			broken: path,
		})),
	];
}
