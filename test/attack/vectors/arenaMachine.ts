// The machine as the product builds it, over a fixture in the jail.
import { existsSync, mkdirSync } from "node:fs";
import { protectedName } from "../../../src/gate/places.ts";
import { createMachine, type Machine } from "../../../src/platform/platform.ts";
import { createBlobs } from "../../../src/storage/blobs.ts";
import type { Fixture } from "./fixture.ts";

/** Where the stage lays it. */
const RIPGREP = "/run/stage/rg";

/** What it keeps lies beside the fixture. */
export function machineIn({ root, workspace }: Fixture): Machine {
	const kept = `${root}-kept`;
	mkdirSync(kept, { recursive: true });
	return createMachine({
		folders: () => [{ name: "ws", path: workspace }],
		identity: () => root,
		spill: kept,
		blobs: createBlobs(`${kept}/blobs`),
		ripgrep: async (find) => (existsSync(RIPGREP) ? RIPGREP : find("rg")),
		environment: () => [],
		sandbox: {
			storage: [`${root}/storage`],
			shared: [],
			caches: `${root}/storage/caches`,
			writable: () => [],
			isProtected: (inside) => protectedName(inside, "write") !== undefined,
			log: () => undefined,
		},
	});
}
