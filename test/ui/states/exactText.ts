// Approvals whose text is long, hidden or not to be shown at all.
import { asked, type ChatState, call, change, type Fields, model, snapshot, started, user, view } from "./events.ts";

/** One call that asks, as the newest thing. */
const asks = (name: string, input: unknown, over: Partial<Fields<"asked">>) =>
	snapshot([
		user("Tidy up"),
		started("actor"),
		model({ text: "", calls: [call("k", name, input)] }),
		asked({ call: "k", session: [], ...over }),
	]);

const command = (text: string) => asks("execute_command", { command: text }, { summary: `Run ${text}`, always: [] });

const script = Array.from({ length: 120 }, (_, line) => `echo "step ${line + 1} of 120" >> build.log`);
const lines = Array.from({ length: 260 }, (_, line) => `+export const value${line + 1} = compute(${line + 1});`);

const hidden = [
	"echo ok\u202e; touch PWNED",
	`echo ok${" ".repeat(400)}; touch PWNED`,
	"git\u200b push\u00a0--force\u3000origin  ",
	"printf '\u001b]0;harmless\u0007'; ls\rrm -rf build\0",
	'\techo "[400 spaces] \\u{202e}" \tשלום ➜ עולם',
].join("\n");

const whitespace = [
	"@@ -1,6 +1,6 @@",
	" import os",
	"-\tif ready:",
	"-\t\treturn  total",
	"+    if ready:",
	"+        return total",
	" ",
	"-name = 'é'",
	"+name = 'e\u0301'",
	"-done()",
	"\\ No newline at end of file",
	"+done() ",
].join("\n");

const minified = `!function(){${"var a=document.createElement('script');a.src='/static/js/'+name;".repeat(90)}}();`;

export const exactStates = {
	exactCommand: { update: command(script.join("\n")) },
	exactOneLine: { update: command(`npm test -- ${"--grep price ".repeat(20)}&& node scripts/release.mjs --publish --tag latest`) },
	exactHidden: { update: command(hidden) },
	exactDiff: {
		update: asks(
			"create_file",
			{ path: "src/values.ts", content: "…" },
			{
				summary: "Create src/values.ts",
				always: ["edits and creates in this workspace"],
				view: view(
					change("src/values.ts", {
						action: "create",
						added: 260,
						removed: 0,
						diff: ["@@ -0,0 +1,260 @@", ...lines].join("\n"),
						lineEnds: "CRLF",
					}),
				),
			},
		),
	},
	exactWhitespace: {
		update: asks(
			"update_file",
			{ path: "tools/a  b.py", old: "x", new: "y" },
			{
				summary: "Edit tools/a  b.py",
				always: [],
				view: view(change("tools/a  b.py", { added: 4, removed: 4, diff: whitespace, encoding: "UTF-16 LE" })),
			},
		),
	},
	exactMinified: {
		update: asks(
			"update_file",
			{ path: "public/app.min.js", old: "x", new: "y" },
			{
				summary: "Edit public/app.min.js",
				always: [],
				view: view(change("public/app.min.js", { added: 1, removed: 0, diff: `@@ -1 +1,2 @@\n /* built */\n+${minified}` })),
			},
		),
	},
	exactBinary: {
		update: asks(
			"apply_patch",
			{ patch: "*** Update File: media/logo.bin" },
			{
				summary: "Patch media/logo.bin",
				always: [],
				view: {
					...view(change("media/logo.bin", { added: 0, removed: 0, diff: "", unshown: { why: "binary", size: 48_213 } })),
					unshown: true,
				},
			},
		),
	},
	exactAddress: {
		update: asks(
			"web_fetch",
			{ url: "https://еxample.org/releases/latest?channel=stable", start: 0 },
			{ summary: "Fetch https://еxample.org/releases/latest?channel=stable", always: ["https://xn--xample-2of.org"] },
		),
	},
	exactArguments: {
		update: asks(
			"mcp__tracker__create_issue",
			{
				title: "formatPrice is gone",
				labels: ["api", "breaking"],
				body: `Callers outside this repository still use the old name.\nThey should move to formatMoney.\n\n${"A line of the report.\n".repeat(40)}`,
				command: "rm -rf build",
				draft: "true",
				milestone: "",
			},
			{ summary: "Use tracker · create_issue", always: ["tracker create_issue"] },
		),
	},
} satisfies Readonly<Record<string, ChatState>>;
