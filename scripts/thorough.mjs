// Unit tests that `npm run check` skips and `npm test` runs.

// They take three quarters of the time, and changes rarely affect them.

/** Beginnings of file names below test/unit. */
export const THOROUGH = [
	// Tables, and generated command lines, against the programs of this machine.
	"gate/git/",
	"gate/canary",
	"gate/commands",
	"gate/fuzz",
	"gate/programs",
	"gate/runners",
	// Sandboxes and hardened programs that really run.
	"platform/commands",
	"platform/headCommit",
	"platform/programs/hardenedGit",
	"platform/sandbox",
	// Recorded and failing answers, cut at every byte.
	"models/anthropicWire",
	"models/callArguments",
	"models/faults",
	"models/openaiCompatible",
	"models/wire",
	// Servers and shells that really run.
	"cliBridge/",
	"mcp/faults",
	"mcp/remembered",
	"mcp/servers",
	// Random sessions, crowds of windows, cut power, hostile input by the thousand.
	"artifacts/badInput",
	"chat/composerCommands",
	"chat/intents",
	"session/compaction",
	"session/grantsFlow",
	"session/oftenAllowed",
	"session/sessionApprovals",
	"shared/safeText",
	"storage/durability",
	"storage/powerLoss",
	"storage/sessionList",
	"storage/window",
	"tools/reading",
	"webview/items",
];
