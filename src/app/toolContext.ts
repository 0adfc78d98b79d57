// What a tool is given to work with, once the gate has let its call through.
import type { ToolContext } from "../core/tool.ts";
import type { RunOptions, Workspace } from "../core/workspace.ts";
import type { CallFacts } from "./judge.ts";
import type { TurnContext } from "./turnContext.ts";

export function toolContext(turn: TurnContext, call: string, facts: CallFacts): ToolContext {
	const { workspace, gate } = turn.services;
	return {
		workspace: Object.create(workspace, {
			run: { value: (command: string, options: RunOptions) => workspace.run(command, { ...options, call }) },
		}) as Workspace,
		signal: turn.signal,
		call,
		paths: new Map(facts.paths.map((path) => [path.given, path])),
		visible: (path) => gate.visible(path),
		seen: turn.files,
		progress: (text) => turn.progress(call, text),
		permitUrl: (url) => turn.permitUrl(url),
	};
}
