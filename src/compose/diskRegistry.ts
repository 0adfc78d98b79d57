// Creates the agent registry on real files, without an editor.
import type { LoadedAgentRegistry } from "../agents/registry.ts";
import { createSourceRegistry, type SourceRegistryOptions } from "../agents/sourceRegistry.ts";
import { scopeLists } from "../gate/scopeList.ts";
import { createAgentStore } from "../storage/agents/agentStore.ts";

export interface DiskAgentRegistryOptions extends Omit<SourceRegistryOptions, "store" | "scopeLists"> {
	/** The extension's global storage. */
	globalStorage: string;
	/** Absolute paths of the workspace folders. */
	folders(): readonly string[];
	/** The user's home folder; absent if it should not be searched for task types. */
	home?: string;
}

export function createDiskAgentRegistry(options: DiskAgentRegistryOptions): Promise<LoadedAgentRegistry> {
	return createSourceRegistry({ ...options, scopeLists, store: createAgentStore(options.globalStorage, options.folders, options.home) });
}
