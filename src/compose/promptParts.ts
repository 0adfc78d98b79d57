// Where prompts have their parts from, put together: skills and artifacts of their rooms, panels of the editor, AGENTS.md of the disk.
import type * as vscode from "vscode";
import { readWorkspaceInstructions } from "../agents/systemPrompt.ts";
import type { Gate } from "../core/ports/gate.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import type { PromptSources } from "../core/prompt.ts";
import { type ArtifactResolver, trackOpenEditors } from "../vscode/adapters/openEditors.ts";

interface Sources extends Partial<Pick<PromptSources, "cliSkills" | "artifacts">> {
	workspace: Pick<Workspace, "folders" | "lstat" | "realpath" | "peek">;
	gate: Pick<Gate, "visible">;
	/** Why no turn may start: what a workspace says then counts for nothing. */
	restricted(): string | undefined;
	state: vscode.Memento;
	/** Which documents are artifacts. */
	artifact?: ArtifactResolver;
}

export function createPromptSources(sources: Sources): PromptSources & vscode.Disposable {
	const { workspace, gate, restricted, state, artifact } = sources;
	const { openEditors: panels, context, dispose } = trackOpenEditors(state, artifact);
	return {
		cliSkills: sources.cliSkills ?? (async () => []),
		artifacts: sources.artifacts ?? (async () => []),
		panels,
		context,
		instructions: async () =>
			restricted() === undefined
				? readWorkspaceInstructions({ folders: () => workspace.folders(), disk: workspace, visible: (path) => gate.visible(path) })
				: [],
		dispose,
	};
}
