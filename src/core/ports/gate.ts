// Types of the gate's input and verdicts.

// Facts are collected beforehand; the decision is a pure function of them.

import type { AgentDefinition, AgentScope, ApprovalMode, Permission, Role } from "../role.ts";
import type { KeptFor, PathFacts, PathUse, Tool } from "./tool.ts";
import type { SandboxRestrictions } from "./workspace/commands.ts";
import type { Disk, WorkspaceFolder } from "./workspace/files.ts";
import type { HostPrograms } from "./workspace/programs.ts";

/** The seven layers in the order they decide; `input` denies what cannot be checked, `unknown` a tool that does not exist. */
export type GateLayer = "role" | "scope" | "rules" | "protected" | "command" | "grants" | "mode" | "input" | "unknown";

/** A tool's declaration, used both to offer the tool to the model and to authorize its calls. */
export interface ToolDeclaration {
	name: string;
	plugin: string;
	permissions: readonly Permission[];
	capabilities: readonly string[];
	/** Set for external tools (MCP): they need ExternalTools unless the user marked them read-only. */
	external?: { definitionHash: string; readOnly: boolean };
	/** Offered only to agents whose definition names the plugin in `optIn`. */
	optIn?: true;
	/** Returns true if the tool is useful to an agent in a role. Set for tools that the layers would allow to every one. */
	suits?(role: Role, agent: AgentDefinition): boolean;
}

/** Ways in which an agent gets a plugin's tools: as tools, through the plugin's program in a shell, or not at all. */
export type ToolExposure = "tool" | "shell" | "none";

/** Describes how a call is made and what is disabled, which decides whether its tool can be called at all. */
export interface CallAccess {
	/** Ids of disabled plugins. */
	pluginsOff: readonly string[];
	/** Reason why no command can run here, for the model; absent if commands can run. */
	commandsUnavailable?: string;
	/** The plugin whose program makes the call from a shell; absent for a regular tool call. */
	shell?: string;
	/** Path of the program that calls the tool from a shell; absent if the role has no use for it. */
	program?: string;
	/** The person makes the call themselves, by a mention: no agent's tools are meant, and reading needs no other word of theirs. */
	byPerson?: true;
	/** Name of a tool that another agent runs itself, where it is judged as the tool of ours with the same effect. */
	foreign?: string;
	/** Reason why it isn't known what all of that agent's call does, as a sentence for the user. It then requires approval each time. */
	unclear?: string;
}

/** A call before any facts from disk or shell are collected for it. */
export type CallAttempt = Pick<GateRequest, "agent" | "role" | "ceiling" | "access" | "url" | "skill" | "peer"> & {
	/** The tool name in the call. */
	called: string;
	/** Undefined if the agent has no tool of that name. */
	tool: ToolDeclaration | undefined;
	/** True if its arguments match the tool's schema. */
	fits: boolean;
};

/** One simple command of a parsed command line, with the facts from the tables and from its paths on disk. */
export interface SimpleCommand {
	/** The program and its arguments, with quotes removed and patterns expanded. */
	words: string[];
	/** The command behind a runner (`timeout 60 npm test`), which was assessed instead. */
	inner?: readonly string[];
	/** Its path arguments, and the protected paths among what they cover. */
	paths: PathFacts[];
	/** The plugin whose program this is, if we wrote the program and it is unchanged. Each tool call it makes passes the gate. */
	program?: string;
	/** Reason why it requires approval even if a rule allows the program. */
	always?: string;
	/** Reason why it requires approval in every mode; a rule that names the program still allows it. */
	asks?: string;
	/** It only reads and prints. */
	reads?: boolean;
	/** It is read-only only inside the read sandbox. */
	sandboxed?: boolean;
	/** Reason why it requires approval unless it runs with our hardened git, as every command allowed as read-only does. */
	unlessHardened?: string;
	/** An approval of its class satisfies `always`. */
	answerable?: boolean;
	/** Repository hooks that it would run. */
	hooks?: readonly string[];
	/** Network addresses that it connects to. */
	addresses?: readonly string[];
	deletes?: boolean;
	/** Permissions beyond ExecuteCommands. */
	permissions?: readonly Permission[];
	/** Its approval includes network access. */
	network?: boolean;
	/** It downloads missing dependencies if it can, and works without the network if nothing is missing. */
	fetches?: boolean;
	/** The class of commands that a standing approval covers; absent if none is possible. */
	class?: string;
	/** SHA-256 of the content that the class is bound to. */
	boundTo?: string;
	/** File names that the class is bound to, for display. */
	bound?: readonly string[];
	/** The class is exactly this line. */
	line?: boolean;
}

/** A parsed command line. `odd` says why it could not be reduced to plain commands; it then requires approval. */
export interface CommandFacts {
	text: string;
	cwd: PathFacts;
	odd?: string;
	/** The commands that run, in order; empty if the line is odd. */
	commands: SimpleCommand[];
	/** Every command that the line may contain: behind runners, in scripts for a shell, in an odd line. */
	mentioned: readonly (readonly string[])[];
	/** Every token in a line too long to parse, and each as a bare program name. */
	possible?: ReadonlySet<string>;
	/** It is to run outside the sandbox: this requires approval each time, and no standing approval covers it. */
	outside?: true;
	/** Protected files that were found while searching its folders. */
	masked?: readonly string[];
}

/** Disk facts cached during one turn; cleared after anything that may change them. */
export type TurnCache = Map<string, unknown>;

/** The user's rules from settings. If `invalid`, the gate denies every call that changes something. */
export type PermissionRules = { deny: readonly string[]; ask: readonly string[]; allow: readonly string[] } | { invalid: string };

/** A standing approval. `class` is what it covers: "npm test", "update_file", an origin, a definition hash. */
export interface Grant {
	agent: string;
	tool: string;
	class: string;
	workspace: string;
	/** Hash of the definitions when approved, for commands defined by files (package.json, a Makefile). */
	scriptsHash?: string;
	/** Names of the files that `scriptsHash` covers, for display: "package.json", "Makefile", "/usr/bin/deno". Not compared. */
	bound?: readonly string[];
	/** `class` is one exact command line, because no table knows its program. */
	line?: boolean;
	/** `class` is the definition hash of an external tool. */
	external?: boolean;
	/** ISO time. */
	at: string;
}

/** Facts about a call that are known before it is decided. */
export interface CallFacts {
	paths: readonly PathFacts[];
	command?: CommandFacts;
	/** The parsed URL that a web tool requests. */
	url?: string;
	/** Only the user's proxy can resolve the address. */
	unchecked?: true;
	/** The plugin whose skill is used. */
	skill?: string;
	/** The agent that is called. */
	peer?: string;
	/** Owner of the files kept by Troupe that the call changes. */
	keptFor?: KeptFor;
}

export interface GateRequest extends CallFacts {
	agent: AgentDefinition;
	role: Role;
	/** Permissions of the agent that asked this agent; absent for a user. */
	ceiling?: readonly Permission[];
	tool: ToolDeclaration;
	access: CallAccess;
	/** The user began the turn with a message or a button, and no agent called it. */
	begunByPerson?: true;
	rules: PermissionRules;
	grants: readonly Grant[];
	/** Identity of the workspace that approvals are bound to. */
	workspace: string;
	mode: ApprovalMode;
	/** An approved plan is running in this session. */
	planRuns: boolean;
	/** If false, nobody can answer and `ask` becomes `deny`. */
	canAsk: boolean;
	/** Paths, absolute like `literal`, that the running plan step names without a pattern. */
	planNames?: readonly string[];
	/** Origins and definition hashes that the user has allowed at least once in this session. */
	destinations?: readonly string[];
	/** Setting `troupe.readingCommands`; `allow` if absent. */
	readingCommands?: "allow" | "ask";
	/** Setting `troupe.sandbox`, whether a sandbox works here, and if not, a sentence for the user; `off` if absent. */
	sandbox?: { mode: "auto" | "off" | "required"; works: boolean; why?: string };
}

export interface Verdict {
	decision: "allow" | "ask" | "deny";
	/** Complete sentences for the user. */
	reason: string;
	/** The sentences of `reason`, if there is more than one. */
	sentences?: readonly string[];
	layer: GateLayer;
	/** The rule, path, or class that decided, for the log. */
	rule: string;
	/** The permissions that a denied call lacked, if nothing else about the agent excludes its tool. */
	lacks?: readonly Permission[];
	/** Everything that an approval for the session or a standing approval would cover; empty if neither is offered. */
	grants: readonly Grantable[];
	/** The command is allowed because it is read-only: it runs hardened and with limits. */
	reads?: boolean;
	/** Sandbox restrictions for a command that runs without approval; absent if no sandbox works or is wanted. */
	confine?: SandboxRestrictions;
}

/** Something that a standing approval would cover. */
export type Grantable = Pick<Grant, "tool" | "class" | "scriptsHash" | "bound" | "line" | "external">;

/** The part of a definition that decides about tools. */
export type ToolScope = AgentScope & Pick<AgentDefinition, "optIn" | "toolLimit" | "plugins">;

/** The agent's list that excludes a tool. */
export interface ScopeExclusion {
	/** `optIn`, `plugins`: the tool's plugin is not in it. */
	list: keyof AgentScope | "optIn" | "plugins";
	/** The tool's name, or the capability or plugin that the list applies to. */
	name: string;
	/** The matching pattern of a deny list; an allow list excludes because nothing in it matches. */
	pattern?: string;
}

export type ScopeListKind = "allow" | "deny";

/** Ignored entries of an agent's list, and entries over the cost limit; `index` is absent if it concerns the whole list. */
export interface ScopeListReport {
	/** In a deny list they exclude everything; in an allow list they match nothing. */
	unusable: readonly { index: number; reason: string }[];
	/** Accepted by earlier versions. Still applied in a deny list; matches nothing in an allow list. */
	excess: readonly { index?: number; reason: string }[];
	/** The list is too expensive to evaluate, so it excludes everything. */
	refused?: string;
}

/** Inspects an agent's lists with the code that enforces them. */
export interface ScopeLists {
	inspect(list: readonly string[], kind: ScopeListKind): ScopeListReport;
	/** Returns true if an allow list matches the name. */
	allows(list: readonly string[], name: string): boolean;
}

/** The gate and the functions that collect its facts. Created once by the composition root. */
export interface Gate {
	/** Decides about a call. Pure function. */
	authorize(request: GateRequest): Verdict;
	/** The denials of `authorize` that need no facts from disk or shell, by the same code: for such a call, none are collected. */
	refuse(attempt: CallAttempt): Verdict | undefined;
	/** Returns the denial of an approved call whose paths now resolve to other locations than when approval was requested. */
	diverted(asked: Pick<GateRequest, "paths" | "command">, now: Pick<GateRequest, "paths" | "command">): Verdict | undefined;
	/** Returns every reason why a call requires approval, one sentence each, at most about a dozen. */
	reasons(request: GateRequest): readonly string[];
	/** Returns true if a tool is offered at all; with `access`, if it can be called that way. Layers 1 and 2 only, by the same code. */
	offers(request: Pick<GateRequest, "agent" | "role" | "ceiling" | "tool"> & Partial<Pick<GateRequest, "access">>): boolean;
	exposure(agent: AgentDefinition, tool: ToolDeclaration): ToolExposure;
	/** The standing approvals that this call would need, granted or not; empty if none can apply. */
	grantable(call: Pick<GateRequest, "tool" | "paths" | "command" | "url">): readonly Grantable[];
	/** Returns why a stored approval no longer applies, as a sentence; undefined while it does. */
	outdated(grant: Grantable): string | undefined;
	/** Returns why an allow rule covers less than it did in 0.1.0, as a sentence; undefined if it does not. */
	narrowed(rule: string, tools: readonly Tool[]): string | undefined;
	/**
	 * Returns why no such standing approval can apply to the tool, as a sentence; undefined if it can. `covers` is absent for the whole tool.
	 */
	neverGranted(tool: Tool, covers: string | undefined): string | undefined;
	/** Layer 2 only, by the same code: undefined if the agent's lists allow the tool. */
	cut(agent: ToolScope, tool: ToolDeclaration): ScopeExclusion | undefined;
	path(given: string, use: PathUse): Promise<PathFacts>;
	/** Resolves to true if only the user's proxy can resolve an address. */
	unchecked(url: string): Promise<boolean>;
	/** `cwd` as given by the model; the first workspace folder if absent. */
	command(text: string, cwd?: string, memo?: TurnCache): Promise<CommandFacts>;
	/** Returns true if the agent's lists allow skills of that provider. Layer 2 only. */
	allowsSkill(agent: AgentScope, provider: string): boolean;
	/** Returns true if a plan step's files (globs or paths) match this path. */
	stepNames(files: readonly string[], path: string): boolean;
	/**
	 * Resolves to true if listings and search results may show this absolute path without approval (layer 4, reading). `memo` is shared by
	 * paths that are asked about at once.
	 */
	visible(path: string, memo?: TurnCache): Promise<boolean>;
}

/** An absolute folder path that the host knows. */
export interface HostFolder {
	path: string;
	/**
	 * `data`: settings and state; reading and writing require approval. `programs`: code that the editor runs; writing requires
	 * approval. `search path`: where commands are looked up; writing requires approval if a workspace is the home folder or contains
	 * it.
	 */
	kind: "data" | "programs" | "search path";
}

/** A folder of a copy, with links resolved. */
export interface CopiedFolder {
	path: string;
	/** The workspace folder that it is a copy of: with links resolved, and by its other names. */
	originals: readonly [string, ...string[]];
}

/** The gate's environment. */
export interface GateContext {
	disk: Disk;
	folders(): readonly WorkspaceFolder[];
	/** Our own storage folders, always protected. */
	storage: readonly string[];
	/**
	 * The folders, if they are a copy of the workspace in our storage. Only these folders are left out of its protection, and
	 * approvals are bound to the original paths.
	 */
	copied?: readonly CopiedFolder[];
	/** Folders with special rules anywhere on disk; the same array until something changes. None if absent. */
	hostFolders?(): readonly HostFolder[];
	/** The user's home folder, as given by the system and by the environment. */
	homes?: readonly string[];
	/** Programs and guides that we wrote for plugins; none if absent. */
	programs?: {
		/** The plugin whose program is at exactly this path, if only we can have changed it. */
		program(path: string): Promise<string | undefined>;
		guide(path: string): boolean;
	};
	/** Finds programs and runs git and ripgrep; without it, every program that needs them requires approval. */
	host?: HostPrograms;
	/** Resolves to true if only the user's proxy can resolve an address; never if absent. */
	unchecked?(url: string): Promise<boolean>;
	/** Folder with web-tree-sitter.wasm and tree-sitter-bash.wasm; loaded on the first command. */
	parser: string;
	/** Logs errors that nobody can be told the reason of. */
	log?(line: string): void;
}
