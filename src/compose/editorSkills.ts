// Skills as the editor has them: the person's home, and what was installed with the extension.
import { homedir } from "node:os";
import { join } from "node:path";
import type * as vscode from "vscode";
import type { Workspace } from "../core/ports/workspace.ts";
import { createSkills, type Skills, type SkillsOptions } from "./skills.ts";

export function editorSkills(
	{ globalStorageUri, extensionUri }: vscode.ExtensionContext,
	{ folders, identity }: Pick<Workspace, "folders" | "identity">,
	rest: Pick<SkillsOptions, "session" | "gate" | "log">,
): Skills {
	const script = join(extensionUri.fsPath, "media", "cli", "troupe-cli.cjs");
	return createSkills({ ...rest, shared: globalStorageUri.fsPath, script, home: homedir(), folders, identity });
}
