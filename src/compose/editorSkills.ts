// Skills as the editor has them: the person's home, and what was installed with the extension.
import { homedir } from "node:os";
import { join } from "node:path";
import type * as vscode from "vscode";
import type { Workspace } from "../core/ports/workspace.ts";
import { createSkillServices, type SkillServices, type SkillServicesOptions } from "./skills.ts";

export function createEditorSkillServices(
	{ globalStorageUri, extensionUri }: vscode.ExtensionContext,
	{ folders, identity }: Pick<Workspace, "folders" | "identity">,
	rest: Pick<SkillServicesOptions, "session" | "gate" | "log">,
): SkillServices {
	const script = join(extensionUri.fsPath, "media", "cli", "troupe-cli.cjs");
	return createSkillServices({ ...rest, globalStorage: globalStorageUri.fsPath, cliScript: script, home: homedir(), folders, identity });
}
