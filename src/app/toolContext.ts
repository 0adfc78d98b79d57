// What a tool is given to work with, once the gate has let its call through.
import type { Tool, ToolContext } from "../core/tool.ts";
import type { RunOptions, Workspace } from "../core/workspace.ts";
import { type CallFacts, judge } from "./judge.ts";
import type { TurnContext } from "./turnContext.ts";

export function toolContext(turn: TurnContext, tool: Tool, call: string, facts: CallFacts): ToolContext {
	const { workspace, gate } = turn.services;
	return {
		workspace: Object.create(workspace, { run: { value: runner(turn, call) } }) as Workspace,
		signal: turn.signal,
		call,
		paths: new Map(facts.paths.map((path) => [path.given, path])),
		visible: (path) => gate.visible(path),
		seen: turn.files,
		progress: (text) => turn.progress(call, text),
		permitUrl: (url) => permitted(turn, tool, facts.url, url),
	};
}

/** Names the call's terminal. Stop ends a command, and so does the loss of the role that allowed it, in the background too. */
function runner({ services, background }: TurnContext, call: string): Workspace["run"] {
	return (command, options: RunOptions) => {
		const signal = AbortSignal.any([options.signal, background]);
		return services.workspace.run(command, { ...options, call, signal });
	};
}

/** A redirect within the origin that was allowed goes on, unless a rule says otherwise; another origin must be allowed by itself. */
async function permitted(turn: TurnContext, tool: Tool, allowed: string | undefined, url: string): Promise<boolean> {
	const { decision, layer } = await judge(turn, tool, { paths: [], url });
	if (decision === "allow") return true;
	const same = allowed !== undefined && URL.canParse(url) && new URL(url).origin === new URL(allowed).origin;
	return decision === "ask" && same && (layer === "grants" || layer === "mode");
}
