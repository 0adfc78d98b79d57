// Environment variables that keep git from running programs that a repository configures.

/**
 * Keys whose values git would run, or that would make it enter submodules with their own keys, with harmless values.
 * Variables override every file and reach the git processes that git starts in submodules.
 *
 * Not listed because no value means "none": `diff.external`, `diff.<driver>.command` and `diff.<driver>.textconv` (with an
 * empty one, `git diff` fails in 2.39); our own calls use flags instead. Keys that contain names cannot be listed:
 * `filter.<name>.*`, which our own calls disable one by one (`gitFilters.ts`), `alias.*`, `merge.<name>.driver`. For
 * commands, the gate checks the configuration. `uploadpack.packObjectsHook` is never read from a repository.
 */
const OVERRIDES: readonly (readonly [key: string, value: string])[] = [
	["core.fsmonitor", "false"],
	["core.hooksPath", process.platform === "win32" ? "NUL" : "/dev/null"],
	["core.pager", "cat"],
	["core.editor", "true"],
	["core.sshCommand", "false"],
	["core.askPass", ""],
	["core.alternateRefsCommand", "true"],
	// An empty value clears all helpers configured before, including those for a single URL.
	["credential.helper", ""],
	...["gpg.program", "gpg.openpgp.program", "gpg.x509.program", "gpg.ssh.program"].map((key) => [key, "/dev/null"] as const),
	["gpg.ssh.defaultKeyCommand", ""],
	["log.showSignature", "false"],
	["submodule.recurse", "false"],
	["fetch.recurseSubmodules", "false"],
	["status.submoduleSummary", "false"],
	["diff.submodule", "short"],
	// A diff writes refreshed file data into the index, even without locks.
	["diff.autoRefreshIndex", "false"],
	["protocol.allow", "never"],
	// A folder that only looks like a bare repository is not used as one.
	["safe.bareRepository", "explicit"],
];

/** `more`: additional keys and values. */
export function hardenedGitEnvironment(more: readonly (readonly [string, string])[] = []): Record<string, string> {
	const pairs = [...OVERRIDES, ...more];
	return {
		GIT_NO_LAZY_FETCH: "1",
		GIT_ALLOW_PROTOCOL: "",
		GIT_OPTIONAL_LOCKS: "0",
		GIT_ASKPASS: "",
		GIT_CONFIG_COUNT: String(pairs.length),
		...Object.fromEntries(
			pairs.flatMap(([key, value], index) => [
				[`GIT_CONFIG_KEY_${index}`, key],
				[`GIT_CONFIG_VALUE_${index}`, value],
			]),
		),
	};
}
