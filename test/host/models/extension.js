// An extension that gives the editor language models, as Copilot does: what they answer, the test writes.
const vscode = require("vscode");

exports.activate = (context) => {
	/** One entry for each request to come: parts to answer, an error to throw, or a function of the request. */
	const script = [];
	/** What the models were sent. */
	const requests = [];
	const changed = new vscode.EventEmitter();
	let names = [];

	const provider = {
		onDidChangeLanguageModelChatInformation: changed.event,
		provideLanguageModelChatInformation: async () =>
			names.map((name) => ({
				id: name,
				name: `Test ${name}`,
				family: name,
				version: "1",
				maxInputTokens: 12_000,
				maxOutputTokens: 4_000,
				capabilities: { toolCalling: true, imageInput: true },
			})),
		async provideLanguageModelChatResponse(model, messages, options, progress, token) {
			const request = { model: model.id, messages, tools: options.tools ?? [], token };
			requests.push(request);
			const next = script.shift() ?? [new vscode.LanguageModelTextPart("Nothing is scripted.")];
			const parts = typeof next === "function" ? await next(request) : next;
			if (parts instanceof Error) throw parts;
			for (const part of parts) progress.report(part);
		},
		// Four letters a token, as with real ones.
		provideTokenCount: async (_, text) => Math.ceil((typeof text === "string" ? text : JSON.stringify(text)).length / 4),
	};

	vscode.lm.registerLanguageModelChatProvider("troupe-test", provider);
	return {
		/** Where the editor keeps the files of this extension; those of others lie beside it. */
		storage: context.globalStorageUri.fsPath,
		script,
		requests,
		/** From now on the editor has these models of the vendor "troupe-test". */
		offer(...offered) {
			names = offered;
			changed.fire();
		},
	};
};
