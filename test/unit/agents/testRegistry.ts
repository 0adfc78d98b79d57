// The registry over real files in a home of a test's own, removed after it.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { builtinRoles } from "../../../src/agents/builtinRoles.ts";
import type { LoadedAgentRegistry } from "../../../src/agents/registry.ts";
import { createDiskAgentRegistry } from "../../../src/compose/diskRegistry.ts";
import { MAIN_AGENT } from "../../../src/core/role.ts";

export interface TestRegistry {
	registry: LoadedAgentRegistry;
	/** Global storage and the workspace folder. */
	shared: string;
	folder: string;
	settings: unknown[];
	trusted: boolean;
	put(path: string, content: unknown): string;
	open(): Promise<LoadedAgentRegistry>;
}

const homes: string[] = [];

export async function openTestRegistry(): Promise<TestRegistry> {
	const home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-registry-")));
	homes.push(home);
	const [shared, folder] = [join(home, "global"), join(home, "workspace")];
	mkdirSync(folder, { recursive: true });
	const it: Omit<TestRegistry, "registry"> = {
		shared,
		folder,
		settings: [],
		trusted: true,
		put(path, content) {
			const whole = join(home, path);
			mkdirSync(dirname(whole), { recursive: true });
			writeFileSync(whole, typeof content === "string" ? content : JSON.stringify(content));
			return whole;
		},
		open: () =>
			createDiskAgentRegistry({
				globalStorage: shared,
				settings: () => ({ agents: it.settings, roles: builtinRoles }),
				folders: () => [folder],
				home: join(home, "person"),
				isTrusted: () => it.trusted,
				displayPath: (path) => path.slice(home.length + 1),
				log: (line) => assert.fail(line),
			}),
	};
	return Object.assign(it, { registry: await it.open() });
}

export function closeTestRegistries(): void {
	for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
}

/** Without the main agent, which is always there. */
export const ids = ({ registry }: { registry: LoadedAgentRegistry }): string[] =>
	registry
		.definitions()
		.map(({ agentId }) => agentId)
		.filter((agentId) => agentId !== MAIN_AGENT);
