// Assembles the skill services: the library, use_skill, and plugin programs' access to a session.
import { join } from "node:path";
import { type CliBridgeHost, createCliBridge } from "../cliBridge/cliBridge.ts";
import { formatDisplayPath } from "../core/paths.ts";
import type { Gate } from "../core/ports/gate.ts";
import type { SkillLibrary } from "../core/ports/skills.ts";
import type { ToolSource } from "../core/ports/tool.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import { createSkillLibrary, USER_FOLDERS } from "../skills/library.ts";
import type { PluginPrograms } from "../skills/pluginPrograms.ts";
import { createSkillSource } from "../skills/useSkill.ts";
import { createContentApprovals } from "../storage/approvals/contentApprovals.ts";

interface SkillServicesOptions {
	/** Storage for all workspaces, which contains the approvals. */
	shared: string;
	/** The user's home folder; absent if it should not be searched for skills. */
	home?: string | undefined;
	workspace: Pick<Workspace, "folders" | "identity">;
	gate: Pick<Gate, "allowsSkill">;
	programs: PluginPrograms;
	log(line: string): void;
}

export interface SkillServices {
	library: SkillLibrary;
	toolSource: ToolSource;
	cliBridge: CliBridgeHost;
}

export function createSkillServices({ shared, home, workspace, gate, programs, log }: SkillServicesOptions): SkillServices {
	const { folders, identity } = workspace;
	const library = createSkillLibrary({
		workspace: () => folders().map(({ path }) => path),
		user: home === undefined ? [] : USER_FOLDERS.map((place) => join(home, place)),
		identity,
		approvals: createContentApprovals(shared, "skills.json", { log }),
		log,
	});
	const cliBridge = createCliBridge({ write: programs.write, log });
	const source = createSkillSource({
		library,
		allows: gate.allowsSkill,
		plugins: cliBridge.known,
		shownPath: (path) => formatDisplayPath(path, folders()).replaceAll("\\", "/"),
	});
	const toolSource: ToolSource = {
		...source,
		async release(session) {
			cliBridge.forget(session);
			await source.release(session);
		},
	};
	return { library, toolSource, cliBridge };
}
