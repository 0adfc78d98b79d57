// Registers a language model with the editor, as Copilot does, and passes what it is asked to a Chat Completions server.
const vscode = require("vscode");

exports.activate = (context) => {
	const changed = new vscode.EventEmitter();
	const server = () => vscode.workspace.getConfiguration("troupeRelay").get("server", "");
	context.subscriptions.push(
		vscode.workspace.onDidChangeConfiguration(() => changed.fire()),
		vscode.lm.registerLanguageModelChatProvider("troupe-relay", {
			onDidChangeLanguageModelChatInformation: changed.event,
			provideLanguageModelChatInformation: async () => (server() === "" ? [] : [relay]),
			provideTokenCount: async (_, text) => Math.ceil((typeof text === "string" ? text : JSON.stringify(text)).length / 4),
			async provideLanguageModelChatResponse(_, messages, { tools = [] }, progress) {
				const body = {
					model: "relay",
					stream: true,
					messages: messages.flatMap(chatMessages),
					tools: tools.map(({ name, description, inputSchema }) => ({
						type: "function",
						function: { name, description, parameters: inputSchema },
					})),
				};
				const headers = { "content-type": "application/json" };
				const response = await fetch(`${server()}/chat/completions`, { method: "POST", headers, body: JSON.stringify(body) });
				if (!response.ok) throw new Error(await response.text());
				for (const part of partsOf(await response.text())) progress.report(part);
			},
		}),
	);
};

const relay = {
	id: "relay",
	name: "Relay",
	family: "relay",
	version: "1",
	maxInputTokens: 100_000,
	maxOutputTokens: 8_000,
	capabilities: { toolCalling: true },
};

function chatMessages({ role, content }) {
	const text = content
		.filter((part) => part instanceof vscode.LanguageModelTextPart)
		.map((part) => part.value)
		.join("");
	const calls = content.filter((part) => part instanceof vscode.LanguageModelToolCallPart);
	const results = content.filter((part) => part instanceof vscode.LanguageModelToolResultPart);
	if (results.length > 0) {
		return results.map(({ callId, content: output }) => ({
			role: "tool",
			tool_call_id: callId,
			content: output.map((part) => part.value ?? "").join(""),
		}));
	}
	if (role === vscode.LanguageModelChatMessageRole.User) return [{ role: "user", content: text }];
	const tool_calls = calls.map(({ callId, name, input }) => ({
		id: callId,
		type: "function",
		function: { name, arguments: JSON.stringify(input) },
	}));
	return [{ role: "assistant", content: text, ...(calls.length > 0 && { tool_calls }) }];
}

function partsOf(stream) {
	let text = "";
	const calls = [];
	for (const line of stream.split("\n").filter((each) => each.startsWith("data: {"))) {
		const delta = JSON.parse(line.slice(6)).choices?.[0]?.delta ?? {};
		text += delta.content ?? "";
		for (const { index, id, function: called } of delta.tool_calls ?? []) {
			calls[index] ??= { id, name: called.name, json: "" };
			calls[index].json += called.arguments ?? "";
		}
	}
	const called = calls.map(({ id, name, json }) => new vscode.LanguageModelToolCallPart(id, name, JSON.parse(json || "{}")));
	return text === "" ? called : [new vscode.LanguageModelTextPart(text), ...called];
}
