// Tests malformed and hostile tool call arguments over real HTTP, through the whole app.

// Nothing crashes and no prototype is polluted; arguments that are not complete JSON stay raw text and never run.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import type { ResultStatus } from "../../../src/core/events.ts";
import { createOpenAiProvider } from "../../../src/models/openai/openai.ts";
import type { AskedRequest } from "../../fakes/modelServer/script.ts";
import { startModelServer } from "../../fakes/modelServer/server.ts";
import { openTestApp } from "../../fakes/testApp.ts";
import { randomFrom } from "./helpers.ts";
import { INVALID, VALID } from "./jsonCorpus.ts";

interface Turn {
	inputs: unknown[];
	statuses: (ResultStatus | undefined)[];
	outcome: string;
	/** Names in the workspace afterwards. */
	files: string[];
	last: AskedRequest;
}

/** A turn of an actor who is asked nothing: the model makes the calls of each answer, and then says that it is done. */
async function turnWith(api: "chat" | "responses", ...answers: (readonly string[])[]): Promise<Turn> {
	const script = ({ number }: AskedRequest) => {
		const inputs = answers[number];
		return inputs === undefined ? { text: "Done." } : { calls: inputs.map((input) => ({ name: "create_file", input })) };
	};
	const server = await startModelServer({ script });
	const model = createOpenAiProvider({ id: "openai", baseUrl: server.url, apiKey: async () => undefined, api });
	const app = await openTestApp({ model, files: { "a.txt": "a" }, settings: { approval: "auto" } });
	try {
		const { sessionId } = await app.sessions.create({ role: "actor" });
		const session = await app.sessions.get(sessionId);
		const { outcome } = await session.send("Go");
		const calls = [...session.state.calls.values()];
		return {
			inputs: calls.map(({ call }) => call.input),
			statuses: calls.map(({ result }) => result?.status),
			outcome,
			files: readdirSync(app.folder),
			last: server.requests.at(-1) as AskedRequest,
		};
	} finally {
		await app.close();
		await server.close();
	}
}

/** What the server is sent back of the calls it made. */
function sentBack({ body }: AskedRequest): string[] {
	const messages = (body["messages"] ?? []) as { tool_calls?: { function: { arguments: string } }[] }[];
	const items = (body["input"] ?? []) as { type: string; arguments?: string }[];
	const ofChat = messages.flatMap((message) => message.tool_calls ?? []).map((call) => call.function.arguments);
	return [...ofChat, ...items.filter(({ type }) => type === "function_call").map((item) => item.arguments ?? "")];
}

for (const api of ["chat", "responses"] as const) {
	describe(`arguments of a call, as ${api}`, () => {
		it("cut at any byte never run", async () => {
			const random = randomFrom(3);
			const words = ["größe", '"quoted"', "\\", "{", "日本", "null", "\n", "}"];
			const word = () => words[random(words.length)] ?? "";
			for (let recorded = 0; recorded < 20; recorded++) {
				const whole = JSON.stringify({ path: `cut${recorded}.ts`, content: word() + word() });
				const cuts = Array.from({ length: whole.length - 1 }, (_, at) => whole.slice(0, at + 1));
				const { inputs, statuses, files } = await turnWith(api, cuts);
				assert.deepEqual(files, ["a.txt"]);
				assert.deepEqual(inputs, cuts);
				assert.deepEqual([...new Set(statuses)], ["error"]);
			}
		});

		it("whole do run", async () => {
			const { files, statuses } = await turnWith(api, ['{"path":"b.txt","content":"b"}']);
			assert.deepEqual([files, statuses], [["a.txt", "b.txt"], ["ok"]]);
		});

		it("are refused where they are no JSON, whatever of a corpus they are", async () => {
			assert.ok(new Set(INVALID).size >= 188 && new Set(VALID).size >= 95, `${new Set(INVALID).size} and ${new Set(VALID).size}`);
			const { inputs, statuses, files } = await turnWith(api, INVALID);
			assert.deepEqual(inputs, INVALID);
			assert.deepEqual([...new Set(statuses)], ["error"]);
			assert.deepEqual(files, ["a.txt"]);
		});

		it("that are JSON are read as what they say", async () => {
			const { inputs } = await turnWith(api, VALID);
			assert.deepEqual(JSON.stringify(inputs), JSON.stringify(VALID.map((text) => JSON.parse(text) as unknown)));
		});

		it("broken three times in a row end the turn", async () => {
			const { inputs, outcome } = await turnWith(api, ['{"a":'], ['{"b":'], ['{"c":'], ["{}"]);
			assert.deepEqual([inputs.length, outcome], [3, "failed"]);
		});

		const deep = (depth: number) => `{"path":"deep.txt","content":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}}`;
		const hostile: [string, string, "raw" | "read"][] = [
			["duplicate keys", '{"a":1,"a":2}', "read"],
			["__proto__", '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}', "read"],
			["__proto__ beside what is right", '{"path":"a.txt","content":"x","__proto__":{"polluted":true,"path":"b.txt"}}', "read"],
			["a depth of 10,000", deep(10_000), "raw"],
			["a depth of 100", deep(100), "read"],
			["half a surrogate pair", '{"path":"\\ud800","content":3}', "read"],
			["NaN", '{"a":NaN}', "raw"],
			["1e400", '{"a":1e400}', "read"],
			["a trailing comma", '{"a":1,}', "raw"],
			["two documents", "{}{}", "raw"],
			["a list", "[1]", "read"],
			["a bare null", "null", "read"],
			["single quotes", "{'a':1}", "raw"],
			["a NUL", '{"a":"\u0000"}', "raw"],
		];
		for (const [name, json, as] of hostile) {
			it(`with ${name} neither crash nor pollute nor run`, async () => {
				const { inputs, statuses, outcome, files, last } = await turnWith(api, [json]);
				assert.deepEqual([outcome, statuses, files], ["done", ["error"], ["a.txt"]]);
				assert.equal(typeof inputs[0] === "string" ? "raw" : "read", as);
				assert.equal(({} as { polluted?: boolean }).polluted, undefined);
				const [back] = sentBack(last);
				// What was no JSON goes back as it came, so that the model sees what it wrote.
				if (as === "raw") assert.equal(back, json);
				else assert.doesNotThrow(() => JSON.parse(back ?? ""));
			});
		}
	});
}
