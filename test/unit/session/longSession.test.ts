// Tests a session of 1,000 turns in a window of 32,000 tokens: size, shared prefix, and recall through archives.

// `--env=FIGURES=1` prints what it measures, `--env=LONG_TURNS=200` is quicker.
import assert from "node:assert/strict";
import { type AgentDefinition, MAIN_AGENT } from "../../../src/core/role.ts";
import { saidIn } from "../../../src/core/transcript/spoken.ts";
import { createOpenAiProvider } from "../../../src/models/openai/openai.ts";
import { tokensOf } from "../../fakes/modelServer/pieces.ts";
import type { AskedRequest, ScriptedAnswer } from "../../fakes/modelServer/script.ts";
import { startModelServer } from "../../fakes/modelServer/server.ts";
import { openTestApp } from "../../fakes/testApp.ts";

const WINDOW = 32_000;
const TURNS = Number(process.env["LONG_TURNS"] ?? 1_000);
/** Smallest share of a request's bytes that the request before begins with. */
const SHARED = 0.95;
const FACT = "The boat is called Nordlicht and lies at berth 47.";
const READ = "session_archive_read";
const agents: AgentDefinition[] = [{ agentId: "tasks", displayName: "Tasks", optIn: ["tasks"] }];

/** The tools stand before what was said, as providers cache them. */
function bytesOf({ body }: AskedRequest): Buffer {
	return Buffer.from(JSON.stringify([body["tools"], body["messages"]]).slice(0, -2));
}

const isSummary = ({ tools }: AskedRequest) => tools.length === 0;

function sharedBytes(one: Buffer, other: Buffer): number {
	const most = Math.min(one.length, other.length);
	let at = 0;
	while (at < most && one[at] === other[at]) at += 1;
	return at;
}

/** Searches the newest archive that the model was told of, then the one before it, until the text is found. */
function recall({ messages }: AskedRequest): ScriptedAnswer {
	const last = messages.at(-1);
	const before = last?.role === "tool" ? /Before it is the archive (\S+)\./.exec(last.text)?.[1] : undefined;
	if (last?.role === "tool" && !last.text.startsWith("The text is not in ")) {
		return { text: `You said: ${/The boat is [^.]*\./.exec(last.text)?.[0] ?? last.text}` };
	}
	if (last?.role === "tool" && before === undefined) return { text: "It is in no archive." };
	const told = messages.flatMap(({ text }) => /is in the archive (\S+), which/.exec(text)?.slice(1) ?? []).at(-1);
	return { calls: [{ name: READ, input: { file: before ?? told, find: "boat IS called" } }] };
}

/** What the main agent says, it says in replies; its text is thought. */
function asReply(request: AskedRequest): ScriptedAnswer {
	const last = request.messages.at(-1);
	if (last?.role === "tool" && last.text === "Delivered.") return { text: "Said." };
	const { text = "", calls } = answer(request);
	if (calls || isSummary(request)) return { text, ...(calls && { calls }) };
	return { text: "I answer.", calls: [{ name: "reply", input: { text, channelId: "main", channelType: "vscode" } }] };
}

/** Talks, looks something up now and then, and sums up without what was said in the third turn. */
function answer(request: AskedRequest): ScriptedAnswer {
	if (isSummary(request)) return { text: `## Goal\nTalk about the garden.\n## Next step\nAnswer message after ${request.number}.` };
	const { messages } = request;
	const asked = messages.findLast(({ role }) => role === "user")?.text ?? "";
	if (asked.includes("What is the boat called?")) return recall(request);
	const [name, input] = request.tools.includes("reply") ? ["current_time", {}] : ["list_directory", { path: "." }];
	if (messages.at(-1)?.role === "user" && /Message \d*0:/.test(asked)) return { calls: [{ name, input }] };
	return { text: `Answer ${request.number}: ${"the roses need water and the hedge does not. ".repeat(4)}` };
}

interface Figures {
	most: number;
	least: number;
	summaries: number;
	requests: number;
}

function measure(requests: readonly AskedRequest[]): Figures {
	let [most, least, restarted] = [0, 1, true];
	let before: Buffer = Buffer.alloc(0);
	for (const request of requests) {
		most = Math.max(most, tokensOf(request));
		if (isSummary(request)) {
			restarted = true;
			continue;
		}
		const bytes = bytesOf(request);
		if (!restarted) least = Math.min(least, sharedBytes(before, bytes) / bytes.length);
		[before, restarted] = [bytes, false];
	}
	return { most, least, summaries: requests.filter(isSummary).length, requests: requests.length };
}

describe(`a session of ${TURNS} turns in a window of ${WINDOW} tokens`, () => {
	for (const agentId of ["default", "tasks", MAIN_AGENT]) {
		it(`fits at every request, only grows at its end, and recalls what turn 3 said, as ${agentId}`, async function () {
			this.timeout(300_000);
			const server = await startModelServer({ script: agentId === MAIN_AGENT ? asReply : answer });
			const provider = createOpenAiProvider({ id: "openai", baseUrl: server.url, apiKey: async () => "test", api: "chat" });
			const app = await openTestApp({ model: provider, info: { window: WINDOW }, agents, files: { "a.ts": "1\n", "b.ts": "2\n" } });
			try {
				const { sessionId } = await app.sessions.create({ role: "planner", agentId });
				const session = await app.sessions.get(sessionId);
				const say = async (text: string) => assert.equal((await session.send(text)).outcome, "done", text.slice(0, 60));
				for (let turn = 1; turn < TURNS; turn += 1) {
					await say(turn === 3 ? FACT : `Message ${turn}: ${"what about the garden, then? ".repeat(4)}`);
				}
				const last = server.requests.length;
				await say("What is the boat called?");
				const figures = measure(server.requests);
				if (process.env["FIGURES"]) console.log(`      ${JSON.stringify(figures)}`);
				assert.ok(figures.most <= WINDOW, `a request of ${figures.most} tokens`);
				assert.ok(figures.least >= SHARED, `a request shares ${figures.least} of its bytes`);
				assert.ok(figures.summaries >= 2, `${figures.summaries} summaries`);
				assert.equal((await app.store.archives(sessionId)).length, figures.summaries);
				const asking = server.requests[last];
				assert.ok(asking && !JSON.stringify(asking.body).includes("Nordlicht"), "the fact is still in the window");
				const said = session.state.events.map((event) => saidIn(event)).findLast((text) => text !== "");
				assert.equal(said, `You said: ${FACT}`);
			} finally {
				await app.close();
				await server.close();
			}
		});
	}
});
