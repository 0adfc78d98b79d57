// The machine as the product builds it, over a fixture in the jail.
import { existsSync, mkdirSync } from "node:fs";
import { protectedName } from "../../../src/gate/hostProtection.ts";
import { createPlatform, type Platform } from "../../../src/platform/platform.ts";
import { createBlobs } from "../../../src/storage/blobs.ts";
import type { Fixture } from "./fixture.ts";

/** Where the jail has it. */
const RIPGREP = "/run/suite/rg";

/** What it keeps lies beside the fixture. */
export function machineIn({ root, workspace }: Fixture): Platform {
	const kept = `${root}-kept`;
	mkdirSync(kept, { recursive: true });
	return createPlatform({
		folders: () => [{ name: "ws", path: workspace }],
		identity: () => root,
		outputFolder: kept,
		blobs: createBlobs(`${kept}/blobs`),
		findRipgrep: async (find) => (existsSync(RIPGREP) ? RIPGREP : find("rg")),
		extraVariables: () => [],
		sandbox: {
			hiddenFolders: [`${root}/storage`],
			readableFolders: [],
			cacheFolder: `${root}/storage/caches`,
			writableCaches: () => [],
			isProtected: (inside) => protectedName(inside, "write") !== undefined,
			log: () => undefined,
		},
	});
}
