// What child processes get to know: a short list of variables, never the keys and tokens of the editor's own environment.

/** Variables every child gets where they are set. Names in `more` come from the person's settings. */
export function childEnvironment(more: readonly string[], own: Readonly<Record<string, string>> = {}): Record<string, string> {
	const environment: Record<string, string> = {};
	const wanted = [...(process.platform === "win32" ? WINDOWS : POSIX), ...more];
	for (const name of wanted) {
		const value = process.env[name];
		if (value !== undefined) environment[name] = value;
	}
	return { ...environment, ...QUIET, ...own };
}

const POSIX = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "SHELL"];

const WINDOWS = [
	...[
		"PATH",
		"PATHEXT",
		"SystemRoot",
		"SystemDrive",
		"windir",
		"ComSpec",
		"TEMP",
		"TMP",
		"USERNAME",
		"USERPROFILE",
		"HOMEDRIVE",
		"HOMEPATH",
	],
	...[
		"APPDATA",
		"LOCALAPPDATA",
		"ProgramData",
		"ProgramFiles",
		"ProgramFiles(x86)",
		"NUMBER_OF_PROCESSORS",
		"PROCESSOR_ARCHITECTURE",
		"LANG",
	],
];

/** Nobody sits at these processes: no colours, no pager, no editor, no question. */
const QUIET = {
	TERM: "dumb",
	PAGER: "cat",
	MANPAGER: "cat",
	GIT_PAGER: "cat",
	EDITOR: "true",
	VISUAL: "true",
	GIT_EDITOR: "true",
	GIT_TERMINAL_PROMPT: "0",
	DEBIAN_FRONTEND: "noninteractive",
};
