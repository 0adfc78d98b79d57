// Translates other programs' tool names to Troupe's; unknown names are kept but match nothing.

const READING = ["read_file", "get_file_info"];
const LISTING = ["list_directory", "find_files"];
const SEARCHING = [...LISTING, "search_code", "search_symbol"];
const EDITING = ["update_file", "create_file", "delete_file", "rename_file", "apply_patch"];
const COMMANDS = ["execute_command", "read_command_output"];
const ASKING = ["agents_*"];
/** The plan's tools are exempt from an agent's lists. */
const PLANNING: string[] = [];

/** Lowercase names of Claude Code's tools, VS Code's tools and tool sets, and GitHub's aliases for them. */
const NAMES: Readonly<Record<string, readonly string[]>> = {
	read: READING,
	notebookread: READING,
	readfile: READING,
	ls: ["list_directory"],
	listdirectory: ["list_directory"],
	glob: LISTING,
	filesearch: LISTING,
	grep: ["search_code"],
	textsearch: ["search_code"],
	search: SEARCHING,
	codebase: SEARCHING,
	usages: ["search_symbol"],
	searchresults: ["search_code"],
	findtestfiles: ["find_files"],
	problems: ["get_diagnostics"],
	geterrors: ["get_diagnostics"],
	edit: EDITING,
	multiedit: EDITING,
	editfiles: EDITING,
	write: ["create_file", "update_file"],
	createfile: ["create_file"],
	createdirectory: ["create_file"],
	rename: ["rename_file"],
	bash: COMMANDS,
	shell: COMMANDS,
	powershell: COMMANDS,
	execute: COMMANDS,
	runcommands: COMMANDS,
	runtasks: COMMANDS,
	runtests: COMMANDS,
	runinterminal: COMMANDS,
	createandruntask: COMMANDS,
	runtask: COMMANDS,
	bashoutput: ["read_command_output"],
	getterminaloutput: ["read_command_output"],
	web: ["web_fetch"],
	webfetch: ["web_fetch"],
	fetch: ["web_fetch"],
	agent: ASKING,
	agents: ASKING,
	task: ASKING,
	runsubagent: ASKING,
	"custom-agent": ASKING,
	skill: ["use_skill"],
	todo: PLANNING,
	todos: PLANNING,
	todowrite: PLANNING,
	todoread: PLANNING,
	askquestions: PLANNING,
	askuserquestion: PLANNING,
	exitplanmode: PLANNING,
};

/** Names whose meaning differs between formats. */
const STYLES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
	github: { read: [...READING, "get_diagnostics", "read_command_output"] },
	// Claude Code's editing tools neither create nor delete files.
	claude: { edit: ["update_file"], multiedit: ["update_file"] },
};

/** Names for writing tools. Ours overlap, so denying one of these denies all of ours. */
const WRITING = ["edit", "multiedit", "editfiles", "write", "createfile", "rename"];

/** VS Code's prefixes for its own tools. */
const GROUPS = ["read", "search", "edit", "execute", "web", "agent", "todo", "vscode"];

export interface ToolNameTranslation {
	/** Globs of our tools; undefined for every tool. */
	globs: string[] | undefined;
	/** MCP servers in the list. */
	servers: string[];
	/** Names without an equivalent. */
	unknown: string[];
	/** Names with a condition, such as `Bash(git *)`, which our lists do not support. */
	conditional: string[];
}

/** `denying`: for a deny list, drops the condition rather than the name. */
export function translateToolNames(names: readonly string[], style: "claude" | "github", denying = false): ToolNameTranslation {
	const globs = new Set<string>();
	const found: ToolNameTranslation = { globs: [], servers: [], unknown: [], conditional: [] };
	let every = false;
	for (const given of names) {
		const name = given.trim();
		if (name === "") continue;
		if (name === "*") {
			every = true;
			continue;
		}
		const conditional = /^([\w-]+)\s*\(.*\)$/s.exec(name);
		if (conditional) found.conditional.push(name);
		const bare = conditional ? (conditional[1] as string) : name;
		const external = externalTool(bare);
		const known = external?.globs ?? ourTools(bare, style, denying);
		if (conditional && !denying) globs.add(literal(name));
		else if (known) for (const glob of known) globs.add(glob);
		else {
			found.unknown.push(name);
			globs.add(literal(name));
		}
		if (external && !conditional) found.servers.push(...external.servers);
	}
	return { ...found, servers: [...new Set(found.servers)], globs: every ? undefined : [...globs] };
}

function ourTools(name: string, style: "claude" | "github", denying: boolean): readonly string[] | undefined {
	if (OURS.test(name)) return [name];
	const plain = name.toLowerCase();
	if (denying && WRITING.includes(plain)) return EDITING;
	const styled = STYLES[style];
	if (styled && Object.hasOwn(styled, plain)) return styled[plain];
	const [group, tool] = plain.split("/");
	const wanted = tool === undefined ? plain : GROUPS.includes(group as string) ? tool : "";
	return Object.hasOwn(NAMES, wanted) ? NAMES[wanted] : undefined;
}

/** Our names contain an underscore; theirs don't. */
const OURS = /^(?:read|list|find|get|search|update|create|delete|rename|apply|execute|web|use|notes|lists|views|panels|agents)_[a-z_*]+$/;

/** `mcp__server__tool`, `mcp__server`, `server/tool` and `server/*`. */
function externalTool(name: string): { globs: string[]; servers: string[] } | undefined {
	const [, server, tool = "*"] = /^mcp__([A-Za-z0-9_-]+?)(?:__([A-Za-z0-9_*-]+))?$/.exec(name) ?? [];
	if (server !== undefined) return { globs: [`mcp__${server}__${tool}`], servers: [server] };
	const slash = name.lastIndexOf("/");
	const [before, after] = [name.slice(0, slash), name.slice(slash + 1)];
	if (slash <= 0 || GROUPS.includes(before.toLowerCase()) || !/^[\w./-]+$/.test(before) || !/^(\*|[\w-]+)$/.test(after)) return undefined;
	const id = before.replaceAll(/[^A-Za-z0-9_-]/g, "_");
	return { globs: [`mcp__${id}__${after}`], servers: [id] };
}

/** Returns a glob that matches only this name. */
function literal(name: string): string {
	return name.slice(0, 120).replaceAll(/[*?[\]{}\\]/g, "\\$&");
}
