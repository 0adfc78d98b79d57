// The gate as the product builds it, over a fixture in the jail, and short ways to ask it.
import { builtinRoles, defaultAgent } from "../../../src/agents/builtinRoles.ts";
import type { CommandFacts, Gate, GateRequest, Grant, Grantable, PermissionRules, Verdict } from "../../../src/core/ports/gate.ts";
import type { Role } from "../../../src/core/role.ts";
import { createGate } from "../../../src/gate/gate.ts";
import { executeCommand } from "../../../src/tools/executeCommand.ts";
import { machineIn } from "./arenaMachine.ts";
import type { Fixture } from "./fixture.ts";
import { type Mode, modeOf } from "./matrix.ts";

export const WORKSPACE = "the workspace";

export interface Asked {
	role: string;
	mode: Mode;
	rules: PermissionRules;
	grants: readonly Grant[];
	sandbox: "off" | "works";
}

/** Calls a gate that sees `environment` as that of the editor. */
export async function withGate<T>(
	fixture: Fixture,
	environment: Readonly<Record<string, string>>,
	parser: string,
	use: (gate: Gate) => Promise<T>,
): Promise<T> {
	const before = { ...process.env };
	Object.assign(process.env, environment);
	const machine = machineIn(fixture);
	try {
		const storage = [`${fixture.root}/storage`];
		return await use(
			createGate({ disk: machine, folders: machine.folders, storage, homes: [fixture.home], parser, host: machine.programs }),
		);
	} finally {
		await machine.dispose();
		for (const name of Object.keys(environment)) {
			if (before[name] === undefined) delete process.env[name];
			else process.env[name] = before[name];
		}
	}
}

export function ask(gate: Gate, command: CommandFacts, { role, mode, rules, grants, sandbox }: Asked): Verdict {
	const request: GateRequest = {
		agent: defaultAgent,
		role: roleCalled(role),
		tool: executeCommand,
		access: { pluginsOff: [] },
		paths: [],
		command,
		rules,
		grants,
		workspace: WORKSPACE,
		...modeOf(mode),
		canAsk: true,
		sandbox: { mode: "auto", works: sandbox === "works" },
	};
	return gate.authorize(request);
}

/** What "Always here" would keep. */
export function kept(grants: readonly Grantable[]): Grant[] {
	return grants.map((grant) => ({ ...grant, agent: defaultAgent.agentId, workspace: WORKSPACE, at: "2026-01-01T00:00:00.000Z" }));
}

/** As 0.1.0 kept it: no more than a class. */
export function keptLongAgo(classes: readonly string[]): Grant[] {
	return kept(classes.map((name) => ({ tool: executeCommand.name, class: name })));
}

function roleCalled(id: string): Role {
	const role = builtinRoles.find((one) => one.id === id);
	if (!role) throw new Error(`There is no role ${id}.`);
	return role;
}
