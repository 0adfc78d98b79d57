// Where prompts have their parts from, put together: skills and artifacts of their rooms, panels of the editor, AGENTS.md of the disk.
import type * as vscode from "vscode";
import { workspaceInstructions } from "../agents/systemPromptWorkspace.ts";
import type { Gate } from "../core/ports/gate.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import type { PromptSources } from "../core/prompt/parts.ts";
import { type ArtifactPanel, editorPanels } from "../vscode/adapters/openEditors.ts";

interface Sources extends Partial<Pick<PromptSources, "cliSkills" | "artifacts">> {
	workspace: Pick<Workspace, "folders" | "lstat" | "realpath" | "peek">;
	gate: Pick<Gate, "visible">;
	/** Why no turn may start: what a workspace says then counts for nothing. */
	restricted(): string | undefined;
	state: vscode.Memento;
	/** Which documents are artifacts. */
	artifact?: ArtifactPanel;
}

export function promptParts(sources: Sources): PromptSources & vscode.Disposable {
	const { workspace, gate, restricted, state, artifact } = sources;
	const { panels, context, dispose } = editorPanels(state, artifact);
	return {
		cliSkills: sources.cliSkills ?? (async () => []),
		artifacts: sources.artifacts ?? (async () => []),
		panels,
		context,
		instructions: async () =>
			restricted() === undefined
				? workspaceInstructions({ folders: () => workspace.folders(), disk: workspace, visible: (path) => gate.visible(path) })
				: [],
		dispose,
	};
}
