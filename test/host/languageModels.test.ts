// Tests VS Code's language models in a real editor: a turn with tools, cost, cancellation and errors.
import assert from "node:assert/strict";
import { once } from "node:events";
import * as vscode from "vscode";
import type { TroupeApi } from "../../src/api.ts";
import type { TranscriptEvent } from "../../src/core/events.ts";
import type { ModelChunk, ModelError, ModelRequest } from "../../src/core/ports/model.ts";
import { toConversationMessages } from "../../src/models/wire/conversationMessages.ts";
import { createLanguageModelProvider } from "../../src/vscode/models/languageModels.ts";
import { until } from "./heard.ts";

interface Sent {
	model: string;
	messages: vscode.LanguageModelChatMessage[];
	tools: { name: string }[];
	token: vscode.CancellationToken;
}

interface TestModels {
	script: (unknown[] | Error | ((sent: Sent) => unknown))[];
	requests: Sent[];
	offer(...names: string[]): void;
}

const text = (words: string) => new vscode.LanguageModelTextPart(words);

let api: TroupeApi;
let models: TestModels;

async function choose(model: string): Promise<void> {
	await vscode.workspace.getConfiguration("troupe").update("model", model, vscode.ConfigurationTarget.Global);
}

/** Of each group below, not of the whole run: other tests have another model. */
async function offerTwo(): Promise<void> {
	api = await (vscode.extensions.getExtension<TroupeApi>("troupe.troupe")?.activate() ?? assert.fail("troupe.troupe is not installed"));
	models = await (vscode.extensions.getExtension<TestModels>("troupe-test.models")?.activate() ?? assert.fail("no test models"));
	models.offer("one", "two");
}

async function offerNone(): Promise<void> {
	models.offer();
	await choose("offline/offline");
}

describe("turns on models of VS Code", function () {
	before(offerTwo);
	after(offerNone);
	this.timeout(60_000);
	beforeEach(() => {
		models.script.length = 0;
		models.requests.length = 0;
	});

	it("the model setting “auto” chooses a VS Code model, whose turn reads with tools", async () => {
		await choose("auto");
		models.script.push(
			[text("I look. "), new vscode.LanguageModelToolCallPart("call-1", "read_file", { path: "package.json" })],
			[text("It is "), text("a sample.")],
		);
		const { sessionId } = await api.createSession({ role: "planner" });
		const result = await api.send(sessionId, "What is this?");
		assert.deepEqual(result, {
			outcome: "done",
			text: "I look. \n\nIt is a sample.",
			toolCalls: [{ id: "call-1", name: "read_file", status: "ok" }],
		});
		const events = await api.transcript(sessionId);
		const started = events.find((event) => event.type === "started");
		assert.equal(started?.model, "vscode/troupe-test/one");
		const answers = events.filter((event) => event.type === "assistant");
		assert.ok(
			answers.every(({ usage }) => usage && usage.input > 100 && usage.output > 3),
			JSON.stringify(answers.map(({ usage }) => usage)),
		);
	});

	it("a VS Code model gets the system prompt first, then messages, calls and results", async () => {
		await choose("vscode/troupe-test/two");
		models.script.push([new vscode.LanguageModelToolCallPart("call-2", "list_directory", { path: "." })], [text("Seen.")]);
		const { sessionId } = await api.createSession({ role: "planner" });
		await api.send(sessionId, "List it");
		const [first, second] = models.requests;
		assert.deepEqual([first?.model, second?.model], ["two", "two"]);
		assert.ok(first?.tools.some(({ name }) => name === "list_directory"));
		assert.ok(!first?.tools.some(({ name }) => name === "execute_command"), "a planner is offered no commands");
		const shape = second?.messages.map(({ role, content }) => [role, ...content.map(kindOf)].join(" "));
		assert.deepEqual(shape, ["1 text", "1 text", "2 call:call-2", "1 result:call-2"]);
		assert.match(wordsOf(second?.messages[0]), /Planner|plan/);
		assert.equal(wordsOf(second?.messages[1]), "List it");
		assert.deepEqual(first?.messages.map(wordsOf), second?.messages.slice(0, 2).map(wordsOf), "what was sent before stays");
	});

	it("a stopped turn ends at once and cancels the request to the VS Code model", async () => {
		await choose("vscode/troupe-test/one");
		const asked = new Promise<Sent>((resolve) =>
			models.script.push((sent) => {
				resolve(sent);
				return new Promise(() => undefined);
			}),
		);
		const { sessionId } = await api.createSession({ role: "planner" });
		const turn = api.send(sessionId, "Think for ever");
		const { token } = await asked;
		await api.cancel(sessionId);
		assert.equal((await turn).outcome, "cancelled");
		await until(async () => assert.ok(token.isCancellationRequested));
	});

	const failures: [string, () => Error, RegExp, string | undefined][] = [
		[
			"consent is missing",
			() => vscode.LanguageModelError.NoPermissions("no"),
			/VS Code didn't allow Troupe to use Test one/,
			"selectModel",
		],
		[
			"the quota is used up",
			() => vscode.LanguageModelError.Blocked("Premium requests are used up."),
			/The quota may be used up/,
			"selectModel",
		],
		["the model is gone", () => vscode.LanguageModelError.NotFound("gone"), /no longer provides Test one/, "selectModel"],
		["the error is unknown", () => new Error("The kettle is cold."), /Test one failed: The kettle is cold/, undefined],
	];
	for (const [name, error, sentence, help] of failures) {
		it(`a VS Code model's failure is explained if ${name}`, async () => {
			await choose("vscode/troupe-test/one");
			models.script.push(error());
			const { sessionId } = await api.createSession({ role: "planner" });
			assert.equal((await api.send(sessionId, "Hello")).outcome, "failed");
			const ended = (await api.transcript(sessionId)).findLast((event) => event.type === "ended");
			assert.match(ended?.error ?? "", sentence);
			assert.equal(ended?.help, help);
		});
	}

	it("a VS Code model that no longer exists is reported, and nothing is sent", async () => {
		await choose("vscode/troupe-test/three");
		const { sessionId } = await api.createSession({ role: "planner" });
		assert.equal((await api.send(sessionId, "Hello")).outcome, "failed");
		const ended = (await api.transcript(sessionId)).findLast((event) => event.type === "ended");
		assert.match(ended?.error ?? "", /VS Code no longer provides the model “troupe-test\/three”\. Nothing was sent\./);
		assert.equal(models.requests.length, 0);
	});
});

describe("the provider of VS Code's models", function () {
	before(offerTwo);
	after(offerNone);
	this.timeout(60_000);
	/** The editor looks at images before it hands them on. */
	const pixel = new Uint8Array(
		Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"),
	);
	const provider = createLanguageModelProvider("vscode", toConversationMessages);
	const user = { type: "user", text: "Look", images: [{ blob: "a", size: 3, mime: "image/png" }], id: "1", seq: 1, at: "", by: "person" };
	const request: ModelRequest = { model: "troupe-test/one", system: "", tools: [], events: [user as TranscriptEvent] };

	async function ask(more: Partial<ModelRequest> = {}): Promise<ModelChunk[]> {
		const chunks: ModelChunk[] = [];
		for await (const chunk of provider.stream({ ...request, ...more }, new AbortController().signal)) chunks.push(chunk);
		return chunks;
	}

	it("VS Code models are listed with their vendor and context window", async () => {
		const listed = await provider.models(new AbortController().signal);
		assert.deepEqual(
			listed.filter(({ id }) => id.includes("troupe-test")).map(({ id, name, window }) => ({ id, name, window })),
			[
				{ id: "vscode/troupe-test/one", name: "Test one", window: 12_000 },
				{ id: "vscode/troupe-test/two", name: "Test two", window: 12_000 },
			],
		);
	});

	it("images are sent to a VS Code model, and unavailable images are mentioned in text", async () => {
		models.requests.length = 0;
		models.script.push([text("Seen.")], [text("Not seen.")]);
		await ask({ image: async () => pixel });
		await ask();
		const [seen, unseen] = models.requests.map(({ messages }) => messages.flatMap(({ content }) => content.map(kindOf)));
		assert.deepEqual(seen, ["text", `image/png:${pixel.length}`]);
		assert.deepEqual(unseen, ["text"]);
		assert.match(wordsOf(models.requests[1]?.messages[0]), /1 attached image\(s\) cannot be shown/);
	});

	it("images of a tool's result are sent to a VS Code model within the result", async () => {
		models.requests.length = 0;
		models.script.push([text("Seen.")], [text("Not seen.")]);
		const made = { type: "assistant", text: "", calls: [{ id: "c", name: "look", input: {} }] };
		const came = { type: "result", call: "c", status: "ok", output: "[image 1]", images: [{ blob: "a", size: 3, mime: "image/png" }] };
		const events = [made, came].map((event, at) => ({ ...event, id: `${at}`, seq: at, at: "", by: "host" }) as TranscriptEvent);
		await ask({ events, image: async () => pixel });
		await ask({ events });
		const within = models.requests.map(({ messages }) => {
			const [part] = messages.at(-1)?.content ?? [];
			assert.ok(part instanceof vscode.LanguageModelToolResultPart);
			return part.content.map((each) => (each instanceof vscode.LanguageModelTextPart ? each.value : kindOf(each)));
		});
		assert.deepEqual(within, [
			["[image 1]", `image/png:${pixel.length}`],
			["[image 1]\n\n[1 attached image(s) cannot be shown to this model.]"],
		]);
	});

	it("an empty response of a VS Code model is a failure that can be retried", async () => {
		models.script.push([]);
		await assert.rejects(
			ask(),
			(error: ModelError) => error.kind === "protocol" && error.retryable && /returned no response/.test(error.message),
		);
	});

	it("listeners hear when VS Code models are added or removed", async () => {
		const changed = once(
			{
				once: undefined,
				addEventListener: (_: string, heard: () => void) => vscode.lm.onDidChangeChatModels(heard),
			} as unknown as EventTarget,
			"change",
		);
		models.offer("one");
		await changed;
		await until(async () => assert.equal((await vscode.lm.selectChatModels({ vendor: "troupe-test" })).length, 1));
		models.offer("one", "two");
		await until(async () => assert.equal((await vscode.lm.selectChatModels({ vendor: "troupe-test" })).length, 2));
	});
});

function kindOf(part: unknown): string {
	if (part instanceof vscode.LanguageModelTextPart) return "text";
	if (part instanceof vscode.LanguageModelToolCallPart) return `call:${part.callId}`;
	if (part instanceof vscode.LanguageModelToolResultPart) return `result:${part.callId}`;
	const { mimeType, data } = part as { mimeType?: string; data?: Uint8Array };
	return `${mimeType}:${data?.length}`;
}

function wordsOf(message: vscode.LanguageModelChatMessage | undefined): string {
	return (message?.content ?? []).map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
}
