// Git without the programs that a repository's configuration may name, as environment variables.

/**
 * Keys whose values git would run, or by which it would enter submodules with their own, and harmless values in their
 * place. Variables outrank every file and reach the git that git starts in a submodule.
 *
 * Not here, because no value means "none": `diff.external`, `diff.<driver>.command` and `diff.<driver>.textconv` (with an
 * empty one `git diff` fails, tried with 2.39); our own calls have words for it. Nor can keys with a name
 * in them be listed: `filter.<name>.*`, which our own calls switch off one by one (`gitFilters.ts`), `alias.*`,
 * `merge.<name>.driver`. For commands the gate judges the configuration. `uploadpack.packObjectsHook` never counts from a
 * repository.
 */
const OVERRIDES: readonly (readonly [key: string, value: string])[] = [
	["core.fsmonitor", "false"],
	["core.hooksPath", process.platform === "win32" ? "NUL" : "/dev/null"],
	["core.pager", "cat"],
	["core.editor", "true"],
	["core.sshCommand", "false"],
	["core.askPass", ""],
	["core.alternateRefsCommand", "true"],
	// An empty one forgets all that were named before, those of one address too.
	["credential.helper", ""],
	...["gpg.program", "gpg.openpgp.program", "gpg.x509.program", "gpg.ssh.program"].map((key) => [key, "/dev/null"] as const),
	["gpg.ssh.defaultKeyCommand", ""],
	["log.showSignature", "false"],
	["submodule.recurse", "false"],
	["fetch.recurseSubmodules", "false"],
	["status.submoduleSummary", "false"],
	["diff.submodule", "short"],
	// A diff writes what it learned of files into the index, locks or not.
	["diff.autoRefreshIndex", "false"],
	["protocol.allow", "never"],
	// A folder that merely looks like a repository is none.
	["safe.bareRepository", "explicit"],
];

/** `more`: further keys and values. */
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
