// What a tool is given to work with, once the gate has let its call through.
import type { Tool, ToolContext } from "../core/tool.ts";
import type { RunOptions, RunResult, Workspace } from "../core/workspace.ts";
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
		allows: (capability) => gate.cut(turn.agent, { ...tool, capabilities: [capability] }) === undefined,
		seen: turn.files,
		progress: (text) => turn.progress(call, text),
		permitUrl: (url) => permitted(turn, tool, facts.url, url),
	};
}

/**
 * Names the call's terminal. Stop ends a command, and so does the loss of the role that allowed it, in the background too.
 * What it reaches of the session from a shell closes behind it.
 */
function runner(turn: TurnContext, call: string): Workspace["run"] {
	const { services, background } = turn;
	return async (command, options: RunOptions) => {
		const signal = AbortSignal.any([options.signal, background]);
		const door = await services.door?.open(turn, call);
		if (!door) return services.workspace.run(command, { ...options, call, signal });
		const { env, secrets, waited } = door;
		const onEnd = (result: RunResult): void => {
			door.close();
			options.onEnd?.(result);
		};
		try {
			const result = await services.workspace.run(command, { ...options, call, signal, env, secrets, waited, onEnd });
			if (!result.running) door.close();
			return result;
		} catch (error) {
			door.close();
			throw error;
		}
	};
}

/** A redirect within the origin that was allowed goes on, unless a rule says otherwise; another origin must be allowed by itself. */
async function permitted(turn: TurnContext, tool: Tool, allowed: string | undefined, url: string): Promise<boolean> {
	const { decision, layer } = await judge(turn, tool, { paths: [], url });
	if (decision === "allow") return true;
	const same = allowed !== undefined && URL.canParse(url) && new URL(url).origin === new URL(allowed).origin;
	return decision === "ask" && same && (layer === "grants" || layer === "mode");
}
