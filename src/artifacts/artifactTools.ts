// The tools of the plugins notes, lists and views, which can be disabled separately.
import type { Tool } from "../core/ports/tool.ts";
import { listTools } from "./listTools.ts";
import { noteTools } from "./noteTools.ts";
import type { ArtifactStore } from "./store.ts";
import { viewTools } from "./viewTools.ts";

export function artifactTools(store: ArtifactStore, now: () => Date = () => new Date()): Tool[] {
	const tooling = { store, now: () => now().toISOString() };
	return [...noteTools(tooling), ...listTools(tooling), ...viewTools(tooling)];
}
