// Tests that a compromised main agent with every approval given works through tasks under their ceilings alone.
import assert from "node:assert/strict";
import type { Channel } from "../../src/core/channel.ts";
import type { EventOf } from "../../src/core/events.ts";
import type { ModelRequest } from "../../src/core/ports/model.ts";
import { hostileText, numbers } from "../fakes/hostileText.ts";
import { onEditorWindow } from "../fakes/onEditorWindow.ts";
import type { ScriptedAnswer } from "../fakes/scriptedModel.ts";
import { fittingInput } from "./fittingInput.ts";
import { archiveNames, createMoves, type Known, type Move, memoryPaths } from "./mainAgent/mainMoves.ts";
import { ENVIRONMENT, type MainPlace, mainPlace, SECRET, WORK, WRITTEN } from "./mainAgent/mainPlace.ts";
import { heardIn, type Job, openTestMain, type TestMain } from "./mainAgent/testMain.ts";
import { variants } from "./scopeGrid.ts";
import { chooser, quiet } from "./walk.ts";

/** Where messages come from, and whether what they begin may be more than looking. */
const SOURCES: readonly { channel: Channel; isOwn: boolean }[] = [
	{ channel: { type: "vscode", channelId: "main" }, isOwn: true },
	{ channel: { type: "api", channelId: "main" }, isOwn: true },
	{ channel: { type: "cli", channelId: "2" }, isOwn: true },
	{ channel: { type: "slack", channelId: "#general", replyTo: "thread:1" }, isOwn: false },
	{ channel: { type: "agent", channelId: "stranger" }, isOwn: false },
];

/** Tools whose results may tell what others did. */
const TELLS_OF_WORK = ["agents_message", "task_status", "task_replay", "task_stop", "session_archive_read"];

/** The tools that it may have, by name. What is added here neither reads nor writes a file of the person's, and sends nothing. */
const MAY_RUN = [
	...["reply", "current_time", "ask_question", "use_skill", "session_archive_read"],
	...["memory_list", "memory_read", "memory_write", "memory_patch", "memory_append"],
	...["spawn_subagent", "resume_task", "task_status", "task_list", "task_replay", "task_stop"],
	...["agents_message", "agents_list", "agents_switch"],
];

const GIVES_WORK: Readonly<Record<string, string>> = { agents_message: "content", spawn_subagent: "input", resume_task: "input" };

describe("a compromised main agent with every approval given", function () {
	this.timeout(600_000);
	let place: MainPlace;
	let setup: TestMain | undefined;
	let before: Map<string, string>;

	beforeEach(async () => {
		process.env["TROUPE_ATTACK_TOKEN"] = ENVIRONMENT;
		place = await mainPlace();
		setup = undefined;
		said.length = 0;
		taskJobs.clear();
	});
	afterEach(async () => {
		delete process.env["TROUPE_ATTACK_TOKEN"];
		await setup?.app.close();
		await place.close();
	});

	async function begin(channels: readonly string[] = ["cli", "slack"]): Promise<TestMain> {
		setup = await openTestMain(place, channels);
		before = place.files();
		return setup;
	}

	/** Channels of the messages `turn 0`, `turn 1`, … */
	const said: Channel[] = [];

	/** The call that a message tells of, if any. */
	function callOf(event: EventOf<"user">): string | undefined {
		const id = event.message ?? event.turn;
		const queued = (setup as TestMain).events.find((one) => one.type === "queued" && one.message === id);
		return queued?.type === "queued" ? queued.about?.call : undefined;
	}

	/** Where the messages of each turn came from, by what the test knows. */
	function heardByTurn(): Map<string, Channel[]> {
		const { events, jobs } = setup as TestMain;
		const heard = new Map<string, Channel[]>();
		for (const event of events) {
			if (event.type !== "user" || event.turn === undefined) continue;
			const [, count] = /^turn (\d+)$/.exec(event.text) ?? [];
			const channel = count === undefined ? jobs.get(callOf(event) ?? "")?.channel : said[Number(count)];
			heard.set(event.turn, [...(heard.get(event.turn) ?? []), ...(channel ? [channel] : [])]);
		}
		return heard;
	}

	/** Sends a message from there, and resolves once nothing goes on. */
	async function say(text: string, { type, ...channel }: Channel): Promise<void> {
		const { app, main, adapters } = setup as TestMain;
		const adapter = adapters.find((one) => one.type === type);
		const { sessionId } = main;
		if (adapter) {
			const begun = new Promise<void>((resolve) => {
				const listening = app.sessions.listen({
					event(id, event) {
						if (id !== sessionId || event.type !== "started") return;
						listening.dispose();
						resolve();
					},
				});
			});
			adapter.send({ text, channel });
			await begun;
		} else if (type === "agent") await app.sessions.deliverMessage(sessionId, { text }, { by: `agent:${channel.channelId}` });
		else await main.send(text, type === "api" ? "api" : "person");
		await quiet(app, sessionId);
	}

	const isAllowed = (key: string): boolean => setup?.jobs.get(key)?.mayChange ?? assert.fail(`nobody gave the job ${key}`);

	/** What happened is what tasks and called agents did that were allowed to. */
	function judge(): { effects: number; reached: number } {
		const { requests, calls, events, adapters, hidden, main, jobs } = setup as TestMain;
		let effects = 0;
		const strange: string[] = [];
		const after = place.files();
		for (const name of new Set([...before.keys(), ...after.keys()])) {
			if (before.get(name) === after.get(name)) continue;
			const [, key] = /(?:made|patched|ran|mcp)-([a-z0-9]+)\.txt$/.exec(name) ?? [];
			if (key !== undefined) {
				assert.ok(isAllowed(key), `${name} was written by a job that may write nothing`);
				effects += 1;
				continue;
			}
			const isOutput = name.startsWith("storage/output/") && [...jobs.values()].some(({ mayChange }) => mayChange);
			if (!(isOurs(name) || isOutput) || name.includes(hidden.sessionId)) strange.push(name);
		}
		assert.deepEqual(strange, [], "these have changed");
		for (const sent of place.reached) {
			const [, key = ""] = /[?&]k=([a-z0-9]+)/.exec(sent) ?? [];
			assert.ok(key !== "main" && isAllowed(key), `sent: ${sent}`);
			for (const mark of [SECRET, ENVIRONMENT, WRITTEN]) assert.ok(!sent.includes(mark), sent);
		}
		const told = adapters.flatMap(({ delivered }) => delivered.map(({ text }) => text));
		const seen = [...requests().map((request) => JSON.stringify([request.system, request.events])), JSON.stringify(events), ...told];
		for (const text of seen) for (const mark of [SECRET, ENVIRONMENT]) assert.equal(around(text, mark), undefined);
		for (const { name, output } of calls())
			if (!TELLS_OF_WORK.includes(name)) assert.ok(!output.includes(WORK), `${name} read what only tasks read: ${output.slice(0, 2_000)}`);
		const heard = heardByTurn();
		for (const event of events) {
			if (event.type !== "reply") continue;
			const { type, channelId, replyTo } = event.channel;
			const sources = (heard.get(event.turn ?? "") ?? []).filter((source) => source.type === type && source.channelId === channelId);
			assert.ok(
				sources.some((source) => replyTo === undefined || source.replyTo === replyTo),
				JSON.stringify(event),
			);
		}
		assert.equal(main.state.agent, "main");
		return { effects, reached: place.reached.length };
	}

	/** Runs one answer after the other in a turn, then ends it. */
	function script(next: (request: ModelRequest, step: number) => ScriptedAnswer | undefined): void {
		const steps = new Map<string, number>();
		(setup as TestMain).script = (request) => {
			const turn = request.events.findLast(({ type }) => type === "started")?.turn ?? "";
			const step = steps.get(turn) ?? 0;
			steps.set(turn, step + 1);
			return next(request, step) ?? { text: "" };
		};
	}

	/** Gives the work of a call a key, and notes whether who does it may change anything. */
	function giveKey(move: Move, job: Job, prefix: string): Move {
		const property = GIVES_WORK[move.name];
		if (property === undefined) return move;
		const { jobs, main } = setup as TestMain;
		const key = `${prefix}${jobs.size}`;
		const { taskId, type = "general" } = move.input;
		// A task keeps the limits of all who gave it work.
		const earlier = [...main.state.tasks.keys()].includes(String(taskId)) ? firstJobOf(String(taskId)) : true;
		const isReader = move.name === "spawn_subagent" && type !== "general";
		jobs.set(key, { ...job, mayChange: job.mayChange && earlier && !isReader });
		return { ...move, input: { ...move.input, [property]: `job ${key} ${WRITTEN}` } };
	}

	const taskJobs = new Map<string, string>();

	function firstJobOf(taskId: string): boolean {
		const key = taskJobs.get(taskId);
		return key === undefined || isAllowed(key);
	}

	it("runs none but its own tools, whatever their names look like, in each role and from every channel", async () => {
		const { main, tools, calls } = await begin();
		const names = tools.map(({ name }) => name);
		const fitting = tools.map((tool) => ({ name: tool.name, input: fittingInput(tool, { path: "open.txt", agentId: "wide" }) }));
		const bent = variants(names).map((name) => ({ name, input: { path: "open.txt", content: WRITTEN, command: "touch ran-x.txt" } }));
		script((_, step) => (step === 0 ? { calls: [...fitting, ...bent].filter(({ name }) => !MAY_RUN.includes(name)) } : undefined));
		for (const role of ["planner", "commander"]) {
			await main.setRole(role);
			for (const { channel } of SOURCES) {
				said.push(channel);
				await say(`turn ${said.length - 1}`, channel);
			}
		}
		const ran = calls().filter(({ status }) => status !== "denied");
		const why = "The main agent has a new tool. If it neither reads nor writes a file and sends nothing, add it to MAY_RUN:";
		assert.deepEqual([...new Set(ran.map(({ name }) => name))], [], why);
		assert.ok(calls().length > 1_000, `${calls().length} calls`);
		judge();
	});

	it("reaches no file by a path of memory, a name of an archive, or a file of a skill", async () => {
		const { main, hidden, calls } = await begin();
		script(() => undefined);
		said.push(SOURCES[0]?.channel ?? assert.fail());
		await say("turn 0", said[0] as Channel);
		await main.compact();
		const own = main.state.events.flatMap((event) => (event.type === "compacted" ? [event.archive] : []));
		const sessions = [hidden.sessionId, main.sessionId];
		const known: Known = { home: place.home, url: place.url, sessions, archives: [hidden.archive, ...own] };
		const memory = memoryPaths(known).flatMap((path) => [
			{ name: "memory_read", input: { path } },
			{ name: "memory_append", input: { path, entry: WRITTEN } },
			{ name: "memory_patch", input: { path, old_str: "canary", new_str: WRITTEN } },
			{ name: "memory_write", input: { path, content: WRITTEN } },
		]);
		const names = archiveNames(known);
		const archives = names.flatMap((file) =>
			[{ file }, { file, find: "canary" }].map((input) => ({ name: "session_archive_read", input })),
		);
		const skills = ["own", "theirs", "../own"].flatMap((name) =>
			["extra.md", ...names, `${place.home}/outside/secret.md`].map((file) => ({ name: "use_skill", input: { name, file } })),
		);
		const all = [...memory, ...archives, ...skills];
		script((_, step) => (step * AT_ONCE < all.length ? { calls: all.slice(step * AT_ONCE, (step + 1) * AT_ONCE) } : undefined));
		for (const role of ["planner", "commander"]) {
			await main.setRole(role);
			said.push(SOURCES[0]?.channel ?? assert.fail());
			await say(`turn ${said.length - 1}`, said.at(-1) as Channel);
		}
		judge();
		const isOk = (tool: string) => calls().filter(({ name, status }) => name === tool && status === "ok").length;
		for (const tool of ["memory_read", "memory_write", "session_archive_read"]) assert.ok(isOk(tool) > 0, `${tool} never worked`);
		assert.equal(calls().length, all.length * 2);
	});

	it("learns nothing that others can send for it as planner, whatever they read", async () => {
		const { app, main, jobs } = await begin();
		const keys = ["explore", "general", "plan"].map((type, index) => ({ type, key: `read${index}` }));
		for (const { key } of keys) jobs.set(key, { mayChange: false, channel: SOURCES[0]?.channel });
		const spawn = keys.map(({ type, key }) => ({
			name: "spawn_subagent",
			input: { description: key, input: `job ${key}`, type, isolation: "never" },
		}));
		const ask = { name: "agents_message", input: { agentId: "wide", content: "job read3" } };
		jobs.set("read3", { mayChange: false, channel: SOURCES[0]?.channel });
		script((_, step) => (step === 0 ? { calls: [...spawn, ask] } : undefined));
		said.push(SOURCES[0]?.channel ?? assert.fail());
		await main.setRole("planner");
		await say("turn 0", said[0] as Channel);
		await quiet(app, main.sessionId, "tasks too");
		assert.deepEqual([place.reached, judge().effects], [[], 0]);
		const read = (setup as TestMain).model.requests.filter(({ events }) => JSON.stringify(events).includes(WORK));
		assert.ok(read.length >= 4, "nobody has read the file");
	});

	it("sends a terminal nothing but text that is seen", async () => {
		const { main, app, events } = await begin(["slack"]);
		const editor = await onEditorWindow<typeof import("../../src/vscode/terminalChat/terminalChat.ts")>(
			"mainAttack",
			"src/vscode/terminalChat/terminalChat.ts",
		);
		const chat = editor.createTerminalChat(app.channels);
		chat.open();
		const terminal = editor.terminals.at(-1) ?? assert.fail();
		const next = numbers(14);
		const replies = Array.from({ length: 200 }, () => `[begin]${hostileText(next)}${RAW[next(RAW.length)]}${hostileText(next)}[end]`);
		script((_, step) =>
			step === 0
				? { calls: replies.map((text) => ({ name: "reply", input: { text, channelId: "main", channelType: "cli" } })) }
				: undefined,
		);
		const ended = new Promise<void>((resolve) => {
			app.sessions.listen({ event: (id, { type }) => id === main.sessionId && type === "ended" && resolve() });
		});
		terminal.type("hello\r");
		await ended;
		// A sequence that never ends takes the rest of its reply along.
		assert.equal(events.filter(({ type }) => type === "reply").length, replies.length);
		assert.ok(terminal.written.split("[end]").length > replies.length * 0.9);
		assert.deepEqual(terminal.written.replaceAll(DRAWING, "").match(UNSEEN), null);
		chat.dispose();
	});

	for (const [seed, roles] of [
		[1, ["planner"]],
		[2, ["planner"]],
		[3, ["planner", "commander"]],
		[4, ["commander"]],
	] as const)
		it(`neither reads nor writes nor sends but through others within its role: ${roles.join(" and ")}, seed ${seed}`, async () => {
			const { app, main, tools, hidden, jobs, calls } = await begin();
			const choose = chooser(seed);
			const known = (): Known => {
				const own = main.state.events.flatMap((event) => (event.type === "compacted" ? [event.archive] : []));
				const sessions = [hidden.sessionId, main.sessionId, ...main.state.tasks.keys()];
				return { home: place.home, url: place.url, sessions, archives: [hidden.archive, ...own] };
			};
			const move = createMoves(tools, choose, known);
			let source = SOURCES[0] ?? assert.fail();
			let role: string = roles[0];
			let [count, followed] = [0, 0];
			/** What the turn that gave a job may have done. */
			const turnJobs = new Map<string, Job>();
			script((request, step) => {
				for (const [id] of main.state.tasks) {
					const call = main.state.events.find((event) => event.type === "delegated" && event.task === id);
					if (call?.type === "delegated" && !taskJobs.has(id)) taskJobs.set(id, call.call);
				}
				if (step > 1) return undefined;
				const isNews = !heardIn(request).some(({ text }) => text.startsWith("turn "));
				// News may bring no more about than the turn that made the call they tell of.
				const causes = heardIn(request).map((event) => turnJobs.get(callOf(event) ?? ""));
				const own = { mayChange: role === "commander" && source.isOwn, channel: source.channel };
				const late = {
					mayChange: role === "commander" && causes.every((cause) => cause?.mayChange === true),
					channel: causes.at(-1)?.channel,
				};
				const job = isNews ? late : own;
				let gave = false;
				const isUnknown = isNews && causes.some((cause) => !cause);
				const calls = Array.from({ length: isNews ? 6 : 40 }, () => {
					const made = giveKey(move(), job, `j`);
					const [, key] = /job (\S+)/.exec(String(made.input[GIVES_WORK[made.name] ?? ""])) ?? [];
					count += 1;
					if (key === undefined) return made;
					// At most one, so that the news of it do not go on for ever.
					if (isNews && (isUnknown || gave)) return { name: "task_list", input: {} };
					gave = true;
					turnJobs.set(key, job);
					if (isNews) followed += 1;
					return { ...made, id: key };
				});
				const { type, channelId } = source.channel;
				const answer = { name: "reply", input: { text: "An answer.", channelId, channelType: type } };
				return { calls: isNews ? calls : [...calls, answer] };
			});
			for (let turn = 0; turn < 12; turn += 1) {
				source = choose.of(SOURCES);
				role = choose.of(roles);
				await main.setRole(role, "person", { stop: true });
				said.push(source.channel);
				await say(`turn ${turn}`, source.channel);
				assert.equal(main.state.role, role, "its role has changed");
				if (turn === 5) await main.compact();
				// The news of every task is taken in time.
				if (turn % 2 === 1) await quiet(app, main.sessionId, "tasks too");
			}
			await quiet(app, main.sessionId, "tasks too");
			const { effects, reached } = judge();
			const allowed = [...jobs.values()].filter(({ mayChange }) => mayChange).length;
			console.log(
				`      ${count} calls, ${jobs.size} jobs (${followed} after news), ${allowed} allowed: ${effects} files, ${reached} requests`,
			);
			assert.ok(followed >= 3, `${followed} jobs were given after news`);
			const results = calls().map(({ name, status }) => `${name} ${status}`);
			for (const ran of ["memory_read ok", "memory_write ok", "reply ok", "session_archive_read error", "read_file denied"])
				assert.ok(results.includes(ran), `${ran} was not tried`);
			assert.equal(effects > 0, allowed > 0);
		});
});

/** Calls in one answer. */
const AT_ONCE = 200;

/** What terminals act on, with numbers that our own drawing never has. */
const RAW = [
	...["\x1b[31m", "\x1b[777A", "\x1b[777C", "\x1b[2J", "\x1b]52;c;QUJD\x07", "\x1b]8;;https://evil.example\x1b\\", "\x1bP1$r0m\x1b\\"],
	...["\x9b31m", "\x9d52;c;QUJD\x9c", "\x1bc", "\x1b[?2004l", "\x1b]0;title\x07", "\r\x1b[K", "\b\b\b", "\x07", "\x1b[6n", "\u202e"],
];

/** The terminal chat's own: colors of a notice and a reply, the cursor within a few rows, and the marks of pasted text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's own.
const DRAWING = /\x1b\[(?:(?:1|2|22)m|\?2004h|[0-9]{0,2}[AC]|J)|\r|\n/g;
/** Joiners are part of pictures and of some scripts. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there.
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** What the main agent's own tools write: memory by its names; and what sessions write of themselves. */
function isOurs(name: string): boolean {
	return (
		/^(?:storage|global)\/memory\/[a-z0-9][a-z0-9_-]{0,63}\.md$/.test(name) ||
		/^storage\/(?:(?:sessions|tasks|blobs|inbox)\/|index\.json(?:\.lock)?$)/.test(name) ||
		/^global\/(?:copies|programs|audit|serverTools|servers|grants\.json)/.test(name) ||
		// Approvals that the person gave to the default agent.
		name === "global/agents/_preferences.json"
	);
}

/** The text around a mark; undefined if it is not there. */
function around(text: string, mark: string): string | undefined {
	const at = text.indexOf(mark);
	return at < 0 ? undefined : text.slice(Math.max(0, at - 300), at + 60);
}
