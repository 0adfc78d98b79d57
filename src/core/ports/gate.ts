// Types of the gate's input and verdicts.

// The facts are gathered beforehand; the decision is a pure function of them.

import type { AgentDefinition, AgentScope, ApprovalMode, Permission, Role } from "../role.ts";
import type { PathFacts, PathUse, Tool } from "./tool.ts";
import type { HostPrograms, SandboxRestrictions } from "./workspace.ts";

/** The seven layers in the order they decide; `input` is what cannot be judged, `unknown` a tool that does not exist. */
export type GateLayer = "role" | "scope" | "rules" | "protected" | "command" | "grants" | "mode" | "input" | "unknown";

/** What a tool declares; the same declaration offers it to the model and guards its calls. */
export interface ToolDeclaration {
	name: string;
	plugin: string;
	permissions: readonly Permission[];
	capabilities: readonly string[];
	/** Set on tools that come from outside (MCP): needs ExternalTools unless the person marked it read-only. */
	external?: { definitionHash: string; readOnly: boolean };
	/** Whether a role has a use for it, where the layers would let every role have it. */
	suits?(role: Role): boolean;
}

/** How an agent gets a plugin's tools: as tools, by the plugin's program in a shell, or not at all. */
export type ToolExposure = "tool" | "shell" | "none";

/** How a call comes, and what is switched off: whether its tool can be called at all. */
export interface CallAccess {
	/** Ids of plugins that are switched off. */
	pluginsOff: readonly string[];
	/** Why no command can be run here, for the model; absent where one can. */
	commandsUnavailable?: string;
	/** The plugin whose program makes the call from a shell; absent for a call as a tool. */
	shell?: string;
	/** Path of the program that reaches the tool from a shell; absent where the role has no use of it. */
	program?: string;
	/** Name of a tool that another agent runs itself, where it is judged as the tool of ours with the same effect. */
	foreign?: string;
}

/** A call before anything of disk or shell is looked at for it. */
export type CallAttempt = Pick<GateRequest, "agent" | "role" | "ceiling" | "access" | "url" | "skill" | "peer"> & {
	/** The name that was called. */
	called: string;
	/** Undefined where the agent has no tool of that name. */
	tool: ToolDeclaration | undefined;
	/** Its arguments are those of the tool. */
	fits: boolean;
};

/** One simple command of a parsed command line, judged by the tables and by what its words are on disk. */
export interface SimpleCommand {
	/** The words as the program gets them: quotes removed, patterns expanded. The program first. */
	words: string[];
	/** The command behind a runner (`timeout 60 npm test`), which was judged in its place. */
	inner?: readonly string[];
	/** Its words that are paths, and the protected ones among what they stand for. */
	paths: PathFacts[];
	/** The plugin whose program this is, written by us and unchanged: what it calls passes the gate call by call. */
	program?: string;
	/** Why it asks even where a rule allows the program. */
	always?: string;
	/** Why it asks in every mode; a rule that names the program lets it go ahead. */
	asks?: string;
	/** It only reads and prints. */
	reads?: boolean;
	/** It only reads as long as it runs in the read sandbox. */
	sandboxed?: boolean;
	/** Why it asks unless it runs with our own hardened git, as whatever goes ahead because it only reads. */
	unlessHardened?: string;
	/** An approval of its class answers `always`. */
	answerable?: boolean;
	/** Names of the repository's hooks that it would run. */
	hooks?: readonly string[];
	/** Where it goes. */
	addresses?: readonly string[];
	deletes?: boolean;
	/** Beyond ExecuteCommands. */
	permissions?: readonly Permission[];
	/** An approval of it covers the network, too. */
	network?: boolean;
	/** It fetches what it lacks where it can, and works without the network where nothing is missing. */
	fetches?: boolean;
	/** What a lasting approval covers; absent where there is none. */
	class?: string;
	/** SHA-256 of what the class is bound to. */
	boundTo?: string;
	/** What the class is bound to, for the person: names of files. */
	bound?: readonly string[];
	/** The class is exactly this line. */
	line?: boolean;
}

/** A command line as the parser saw it. `odd` says why it cannot be taken as plain words; then it asks. */
export interface CommandFacts {
	text: string;
	cwd: PathFacts;
	odd?: string;
	/** The commands that run, in order; none where the line is odd. */
	commands: SimpleCommand[];
	/** Every command that may be meant somewhere in the line: behind runners, in texts for a shell, in an odd line. */
	mentioned: readonly (readonly string[])[];
	/** Of a line that is too long to be told apart: every word of it, and each as a program's bare name. */
	possible?: ReadonlySet<string>;
	/** It is to run outside the sandbox: that is asked each time, and nothing that lasts answers it. */
	outside?: true;
	/** Protected files that were found while its folders were looked through. */
	masked?: readonly string[];
}

/** What was learned of the disk in one turn; dropped after whatever may have changed it. */
export type TurnCache = Map<string, unknown>;

/** A person's rules as read from settings; `invalid` closes the gate for whatever changes anything. */
export type PermissionRules = { deny: readonly string[]; ask: readonly string[]; allow: readonly string[] } | { invalid: string };

/** An approval that lasts. `class` is what it covers: "npm test", "update_file", an origin, a definition's hash. */
export interface Grant {
	agent: string;
	tool: string;
	class: string;
	workspace: string;
	/** For commands whose meaning lies in files (package.json, a Makefile): the hash of what they define, when granted. */
	scriptsHash?: string;
	/** Names of the files that `scriptsHash` is over, for the eye: "package.json", "Makefile", "/usr/bin/deno". Not compared. */
	bound?: readonly string[];
	/** `class` is one line word for word: no table knows its program. */
	line?: boolean;
	/** `class` is the hash of an outside tool's definition. */
	external?: boolean;
	/** ISO time. */
	at: string;
}

export interface GateRequest {
	agent: AgentDefinition;
	role: Role;
	/** Permissions of whoever asked this agent; absent for a person. */
	ceiling?: readonly Permission[];
	tool: ToolDeclaration;
	access: CallAccess;
	paths: readonly PathFacts[];
	command?: CommandFacts;
	/** The parsed URL a web tool goes to. */
	url?: string;
	/** Only the person's proxy knows where it leads. */
	unchecked?: true;
	/** The plugin whose skill is used. */
	skill?: string;
	/** The agent that is turned to. */
	peer?: string;
	rules: PermissionRules;
	grants: readonly Grant[];
	/** Identity of the workspace that grants are bound to. */
	workspace: string;
	mode: ApprovalMode;
	/** An approved plan is running in this session. */
	planRuns: boolean;
	/** Where nobody can answer, ask means deny. */
	canAsk: boolean;
	/** Paths, absolute as `literal` has them, that the running step of the approved plan names without any pattern. */
	planNames?: readonly string[];
	/** Origins and definition hashes that the person has allowed once or more in this session. */
	met?: readonly string[];
	/** Setting `troupe.readingCommands`; `allow` when absent. */
	readingCommands?: "allow" | "ask";
	/** Setting `troupe.sandbox`, and whether one works here, with a sentence for the person where it does not; `off` when absent. */
	sandbox?: { mode: "auto" | "off" | "required"; works: boolean; why?: string };
}

export interface Verdict {
	decision: "allow" | "ask" | "deny";
	/** For the person: plain sentences. */
	reason: string;
	/** The sentences of `reason`, where it is more than one. */
	sentences?: readonly string[];
	layer: GateLayer;
	/** The rule, place or class that decided, for the log. */
	rule: string;
	/** What an approval for the session or for good would keep; empty where neither is offered. */
	grants: readonly Grantable[];
	/** A command that goes ahead because it only reads: it runs hardened, and with bounds. */
	reads?: boolean;
	/** How a command that goes ahead unasked is kept in; absent where no sandbox works or is wanted. */
	confine?: SandboxRestrictions;
}

/** What a standing approval would cover. */
export type Grantable = Pick<Grant, "tool" | "class" | "scriptsHash" | "bound" | "line" | "external">;

/** What of an agent's lists keeps a tool from it. */
export interface ScopeExclusion {
	list: keyof AgentScope;
	/** The tool's name, or the capability that the list is about. */
	name: string;
	/** Of a deny list; an allow list cuts by having none that fits. */
	pattern?: string;
}

export type ScopeListKind = "allow" | "deny";

/** What does not count in one of an agent's lists, or goes beyond what it may cost; `index` is absent where that is the whole list. */
export interface ScopeListReport {
	/** They keep everything out in a deny list, and let nothing in otherwise. */
	unusable: readonly { index: number; reason: string }[];
	/** Taken by earlier versions: it still counts in a deny list, and lets nothing in otherwise. */
	excess: readonly { index?: number; reason: string }[];
	/** The list costs too much to be read: it is closed. */
	refused?: string;
}

/** The lists of an agent, by the same code that decides by them. */
export interface ScopeLists {
	inspect(list: readonly string[], kind: ScopeListKind): ScopeListReport;
	/** Whether an allow list lets the name in. */
	allows(list: readonly string[], name: string): boolean;
}

/** The gate with the means to gather its facts. Built once by the composition root. */
export interface Gate {
	/** Pure: the one decision about a call. */
	authorize(request: GateRequest): Verdict;
	/** What `authorize` denies whatever the disk and the shell say, by the same code: such a call is neither looked at nor parsed. */
	refuse(attempt: CallAttempt): Verdict | undefined;
	/** Why a call that a person allowed is not carried out: its paths lead elsewhere than when they were asked. */
	diverted(asked: Pick<GateRequest, "paths" | "command">, now: Pick<GateRequest, "paths" | "command">): Verdict | undefined;
	/** Of a call that asks: every reason, a sentence each, some dozen at most. */
	reasons(request: GateRequest): readonly string[];
	/** Layers 1 and 2 alone, by the same code: whether a tool is offered at all; with `access`, whether it is reached in that way. */
	offers(request: Pick<GateRequest, "agent" | "role" | "ceiling" | "tool"> & Partial<Pick<GateRequest, "access">>): boolean;
	exposure(agent: AgentDefinition, tool: ToolDeclaration): ToolExposure;
	/** What standing approvals would have to cover for this call, granted or not; empty where none ever counts for it. */
	grantable(call: Pick<GateRequest, "tool" | "paths" | "command" | "url">): readonly Grantable[];
	/** Why an approval that was stored earlier does not count any more: a sentence; undefined while it does. */
	outdated(grant: Grantable): string | undefined;
	/** Why an allow rule lets less go ahead than it did under 0.1.0: a sentence; undefined where it does not. */
	narrowed(rule: string, tools: readonly Tool[]): string | undefined;
	/** Why no standing approval of that shape counts for the tool: a sentence; undefined where it may. `covers` is absent for the whole tool. */
	neverGranted(tool: Tool, covers: string | undefined): string | undefined;
	/** Layer 2 alone, by the same code: undefined where the agent's lists let the tool through. */
	cut(agent: AgentScope, tool: ToolDeclaration): ScopeExclusion | undefined;
	path(given: string, use: PathUse): Promise<PathFacts>;
	/** Whether only the person's proxy knows where an address leads. */
	unchecked(url: string): Promise<boolean>;
	/** `cwd` as the model gave it; the first workspace folder when absent. */
	command(text: string, cwd?: string, memo?: TurnCache): Promise<CommandFacts>;
	/** Layer 2 alone: whether the agent's lists let it use skills of that provider. */
	allowsSkill(agent: AgentScope, provider: string): boolean;
	/** Whether the files of a plan's step, globs or paths, name this path. */
	stepNames(files: readonly string[], path: string): boolean;
	/** Whether listings and search results may show this absolute path unasked (layer 4, reading). */
	visible(path: string): Promise<boolean>;
}

/** A folder that the host knows, absolute. */
export interface HostFolder {
	path: string;
	/**
	 * `data`: settings and state, neither read nor written unasked. `programs`: what the editor runs, not written. `search path`:
	 * where commands are looked for, not written where a workspace is the home folder or holds it.
	 */
	kind: "data" | "programs" | "search path";
}

/** What the gate needs to know of its surroundings. */
export interface GateContext {
	disk: import("./workspace.ts").Disk;
	folders(): readonly import("./workspace.ts").WorkspaceFolder[];
	/** Folders of our own storage: protected wherever they lie. */
	storage: readonly string[];
	/** Folders that matter wherever they lie; the same array as long as nothing changes. None when absent. */
	hostFolders?(): readonly HostFolder[];
	/** The person's home folder, as the system and the environment name it. */
	homes?: readonly string[];
	/** Programs and guides that we wrote for plugins; none when absent. */
	programs?: {
		/** The plugin whose program lies at exactly this path, as long as nobody but us can have changed it. */
		program(path: string): Promise<string | undefined>;
		guide(path: string): boolean;
	};
	/** Where programs are, and git and ripgrep to ask; without it every program asks that would need them. */
	host?: HostPrograms;
	/** Whether only the person's proxy knows where an address leads; never when absent. */
	unchecked?(url: string): Promise<boolean>;
	/** Folder that holds web-tree-sitter.wasm and tree-sitter-bash.wasm; read on the first command. */
	parser: string;
}
