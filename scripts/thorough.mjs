// Unit tests that `npm run check` skips and `npm test` runs.

// They take three quarters of the time, and changes rarely affect them.

/** Prefixes of file names in test/unit. */
export const THOROUGH = [
	// Tables and generated command lines, compared with installed programs.
	"gate/git/",
	"gate/canary",
	"gate/commands",
	"gate/fuzz",
	"gate/programs",
	"gate/runners",
	// Real sandboxes and hardened programs.
	"platform/commands",
	"platform/copies/",
	"platform/headCommit",
	"platform/programs/hardenedGit",
	"platform/sandbox",
	"workspaces/copySandbox",
	// Recorded and failing responses, truncated at every byte.
	"models/anthropicWire",
	"models/callArguments",
	"models/faults",
	"models/openaiCompatible",
	"models/wire",
	// Real servers and shells.
	"cliBridge/",
	"mcp/faults",
	"mcp/remembered",
	"mcp/servers",
	// Random sessions, many windows, power failures, thousands of hostile inputs.
	"artifacts/badInput",
	"chat/composerCommands",
	"chat/intents",
	"session/compaction",
	"session/grantsFlow",
	"session/longSession",
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
