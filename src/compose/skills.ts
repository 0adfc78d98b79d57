// Puts the parts about skills together: the shelf, use_skill, the programs of plugins and the door behind them.
import { join } from "node:path";
import { type CliBridgeHost, createCliBridge } from "../cliBridge/cliBridge.ts";
import type { Gate } from "../core/ports/gate.ts";
import type { SkillLibrary } from "../core/ports/skills.ts";
import type { ToolSource } from "../core/ports/tool.ts";
import type { WorkspaceFolder } from "../core/ports/workspace.ts";
import type { Session } from "../session/session.ts";
import { createSkillLibrary, USER_FOLDERS } from "../skills/library.ts";
import { createPluginPrograms, type PluginPrograms } from "../skills/pluginPrograms.ts";
import { createSkillSource } from "../skills/useSkill.ts";
import { createContentApprovals } from "../storage/approvals/contentApprovals.ts";

export interface SkillServicesOptions {
	/** Global storage of the extension: approvals and programs are kept below it. */
	globalStorage: string;
	/** media/cli/troupe-cli.cjs as it was installed. */
	cliScript: string;
	/** The person's home; absent where it holds no skills for us. */
	home?: string;
	folders(): readonly WorkspaceFolder[];
	identity(): string;
	session(id: string): Promise<Session>;
	gate(): Gate;
	log(line: string): void;
}

export interface SkillServices {
	library: SkillLibrary;
	toolSource: ToolSource;
	programs: PluginPrograms;
	cliBridge: CliBridgeHost;
}

export function createSkillServices(options: SkillServicesOptions): SkillServices {
	const { globalStorage: shared, cliScript: script, home, folders, identity, log } = options;
	const shelf = createSkillLibrary({
		workspace: () => folders().map(({ path }) => path),
		user: home === undefined ? [] : USER_FOLDERS.map((place) => join(home, place)),
		identity,
		approvals: createContentApprovals(shared, "skills.json", { log }),
		log,
	});
	const programs = createPluginPrograms({ root: join(shared, "programs"), script, node: process.execPath, log });
	const door = createCliBridge({ session: options.session, write: programs.write, log });
	const source = createSkillSource({
		shelf,
		allows: (agent, provider) => options.gate().allowsSkill(agent, provider),
		plugins: door.known,
		shownPath: (path) => shownPath(path, folders()),
	});
	const whole: ToolSource = {
		...source,
		async release(session) {
			door.forget(session);
			await source.release(session);
		},
	};
	return { library: shelf, toolSource: whole, programs, cliBridge: door };
}

/** As file tools take it where it lies in the workspace. */
function shownPath(path: string, folders: readonly WorkspaceFolder[]): string {
	const slashed = path.replaceAll("\\", "/");
	for (const folder of folders) {
		const base = `${folder.path.replaceAll("\\", "/")}/`;
		if (slashed.startsWith(base)) return `${folders.length > 1 ? `${folder.name}/` : ""}${slashed.slice(base.length)}`;
	}
	return slashed;
}
