// What the host tells the chat, piece by piece: the surroundings, the events of a session, and the snapshot of both.

export const surroundings = (over = {}) => ({
	session: {
		sessionId: "s1",
		agentId: "default",
		createdAt: at(0),
		updatedAt: at(0),
		messageCount: 0,
		role: "planner",
		name: "Rename formatPrice",
	},
	roles: [
		{ id: "planner", label: "Planner", icon: "lightbulb", primary: true },
		{ id: "actor", label: "Actor", icon: "run", primary: true },
		{ id: "reviewer", label: "Reviewer", primary: false },
	],
	agents: [
		{ id: "default", label: "General Assistant" },
		{ id: "docs", label: "Docs writer" },
	],
	model: { id: "offline/offline", name: "Offline", why: "no key and no local server were found", offline: true },
	approval: "plan",
	context: contextUse(),
	recent: [],
	suggestions: ["Rename formatPrice to formatMoney everywhere", "Explain src/cart.ts", "Run the tests"],
	queued: [],
	slash: [
		{ name: "plan", description: "Switch to Planner: read and propose", argument: "what to do" },
		{ name: "act", description: "Switch to Actor: carry out", argument: "what to do" },
		{ name: "new", description: "Begin a new session with this agent", argument: "first message" },
		{ name: "clear", description: "Remove the messages of this session" },
		{ name: "model", description: "Choose the model" },
		{ name: "agent", description: "Choose the agent", argument: "name" },
		{ name: "compact", description: "Summarise earlier messages to make room" },
		{ name: "export", description: "Save this session as a document" },
		{ name: "help", description: "Show what can be typed here" },
	],
	...over,
});

/** A window a quarter full, at known prices. */
export function contextUse(over = {}) {
	const totals = (times) => ({ input: 12_400 * times, output: 780 * times, cached: 9_100 * times, cost: 0.0184 * times, unpriced: 0 });
	const parts = { system: 420, tools: 1_380, messages: 2_150, answers: 6_020, outputs: 31_400, attachments: 4_100, images: 1_500 };
	return { used: 46_970, basis: "since", window: 200_000, parts, priced: true, turn: totals(1), session: totals(9), ...over };
}

function at(seconds) {
	return new Date(Date.UTC(2025, 0, 15, 14, 7) + seconds * 1_000).toISOString();
}

let seq = 0;
let turns = 0;
export const event = (type, fields, by = "host", turn = `t${turns}`) => ({ id: `e${++seq}`, seq, at: at(seq), by, turn, type, ...fields });
export const model = (fields) => event("assistant", fields, "model");
export const call = (id, name, input) => ({ id, name, input });
export const result = (id, output, view, status = "ok") => event("result", { call: id, status, output, ...(view ? { view } : {}) });
export const user = (text, fields = {}) => event("user", { text, ...fields }, "person");
export const started = (role) => {
	turns += 1;
	return event("started", { agent: "default", definitionHash: "h", role, model: "offline/offline" });
};

export const ended = (outcome, more = {}) => event("ended", { outcome, ...more });

export function snapshot(events, over = {}, live = "") {
	return { type: "snapshot", events, surroundings: surroundings(over), live, token: "token-1" };
}

const plan = {
	goal: "Rename formatPrice to formatMoney",
	steps: [
		{ step_number: 1, action: "Rename the function in `src/money.ts`", tools_needed: ["update_file"], reason: "It is defined there" },
		{
			step_number: 2,
			action: "Update 4 calls in `src/cart.ts`, `src/invoice.ts`",
			reason: "They import it by name",
			tools_needed: ["read_file"],
		},
		{ step_number: 3, action: "Update the tests", tools_needed: ["update_file"] },
		{ step_number: 4, action: "Run the tests", tools_needed: ["execute_command"], estimated_time: "20 s" },
	],
	risks: ["Public API: callers outside break"],
	prerequisites: ["Dependencies are installed"],
	estimated_total_time: "1 min",
};
export const planEvent = (version, over = {}) =>
	event("plan", { plan: { ...plan, ...over }, planId: "p1", version, hash: `hash-${version}`, basis: { files: [] } }, "model");

export const change = (path, over = {}) => ({
	path,
	action: "update",
	added: 2,
	removed: 2,
	after: "x",
	diff: [
		"@@ -10,7 +10,7 @@",
		" export function total(items: Item[]) {",
		"-  return formatPrice(sum(items));",
		"+  return formatMoney(sum(items));",
		" }",
		" ",
		"@@ -31,3 +31,3 @@",
		" ",
		"-export const label = (item: Item) => `${item.name}: ${formatPrice(item.price)}, taxes included where they apply`;",
		"+export const label = (item: Item) => `${item.name}: ${formatMoney(item.price)}, taxes included where they apply`;",
	].join("\n"),
	...over,
});
/** As a card shows it. */
export const view = (...changes) => ({ kind: "change", changes });
export const created = "@@ -0,0 +1,3 @@\n+# Changelog\n+\n+- formatPrice is now formatMoney\n";
export const edit = (id, path, over) => [
	model({ text: "", calls: [call(id, "update_file", { path, old: "formatPrice", new: "formatMoney" })] }),
	result(id, "Edited", view(change(path, over))),
];

export const asked = (over = {}) =>
	event("asked", {
		request: "r1",
		call: "c6",
		summary: "Run npm test",
		hash: "hash-c6",
		reason: "Asks because no rule allows it. Runs in shop.",
		session: ["Allows npm test in this session until its definition in package.json changes."],
		always: ["Allows npm test in this workspace until its definition in package.json changes."],
		...over,
	});

export const question = (over = {}) =>
	event(
		"question",
		{
			request: "q1",
			question: {
				question: "Update the changelog as well?",
				context: "`CHANGELOG.md` lists renames of public functions.",
				severity: "minor",
				options: [
					{ label: "Yes, add an entry", value: "yes", description: "Under “Changed”, with the old name" },
					{ label: "No, leave it", value: "no" },
				],
				default: "no",
				allow_custom: true,
				...over,
			},
		},
		"model",
	);
