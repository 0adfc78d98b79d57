// The port to a workspace: its files, search, commands, and language services.
import type { WorkspaceCommands } from "./workspace/commands.ts";
import type { WorkspaceFiles } from "./workspace/files.ts";
import type { WorkspaceLanguage } from "./workspace/language.ts";
import type { WorkspaceSearch } from "./workspace/search.ts";

export interface Workspace extends WorkspaceFiles, WorkspaceSearch, WorkspaceCommands, WorkspaceLanguage {}
