// The registry over real files in a home of a test's own, removed after it.
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { LoadedRegistry } from "../../../src/agents/registry.ts";
import { builtinRoles } from "../../../src/agents/roles.ts";
import { diskRegistry } from "../../../src/compose/agents/diskRegistry.ts";

export interface Stage {
	registry: LoadedRegistry;
	/** Global storage and the workspace folder. */
	shared: string;
	folder: string;
	settings: unknown[];
	trusted: boolean;
	put(path: string, content: unknown): string;
	open(): Promise<LoadedRegistry>;
}

const homes: string[] = [];

export async function stage(): Promise<Stage> {
	const home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-registry-")));
	homes.push(home);
	const [shared, folder] = [join(home, "global"), join(home, "workspace")];
	mkdirSync(folder, { recursive: true });
	const it: Omit<Stage, "registry"> = {
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
			diskRegistry({
				shared,
				settings: () => ({ agents: it.settings, roles: builtinRoles }),
				folders: () => [folder],
				trusted: () => it.trusted,
				placeOf: (path) => path.slice(home.length + 1),
				log: (line) => assert.fail(line),
			}),
	};
	return Object.assign(it, { registry: await it.open() });
}

export function strike(): void {
	for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
}

export const ids = ({ registry }: { registry: LoadedRegistry }): string[] => registry.definitions().map(({ agentId }) => agentId);
