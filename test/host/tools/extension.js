// An extension that contributes tools for language models: some that may be switched on, and some that never may.
const vscode = require("vscode");

exports.activate = () => {
	/** Names of the tools that ran, in their order. */
	const ran = [];
	/** Resolves when the slow tool runs, and when it is told to stop. */
	const slow = {};
	slow.running = new Promise((resolve) => (slow.runs = resolve));
	slow.stopped = new Promise((resolve) => (slow.stops = resolve));
	const text = (words) => new vscode.LanguageModelToolResult(words.map((each) => new vscode.LanguageModelTextPart(each)));
	const tools = {
		test_weather: ({ input }) => text([`Fine in ${input.town}.`, "\u001b[31mRed\u001b[0m \u202ebidi \u{e0041}tag\u0007"]),
		test_slow: (_, token) =>
			new Promise(() => {
				slow.runs();
				token.onCancellationRequested(() => slow.stops());
			}),
		test_picture: () =>
			new vscode.LanguageModelToolResult([
				new vscode.LanguageModelTextPart("Here"),
				new vscode.LanguageModelDataPart(
					Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64"),
					"image/png",
				),
				new vscode.LanguageModelDataPart(new Uint8Array(3), "image/png"),
			]),
		test_large: () => text(["x".repeat(2_000_000)]),
		test_failing: () => {
			throw new Error("It \u202efails\u001b[2J.");
		},
		run_in_terminal: () => text(["ran"]),
		test_runShellCommand: () => text(["ran"]),
		test_helper: () => text(["ran"]),
	};
	for (const [name, invoke] of Object.entries(tools)) {
		vscode.lm.registerTool(name, {
			invoke(options, token) {
				ran.push(name);
				return invoke(options, token);
			},
		});
	}
	return { ran, running: slow.running, stopped: slow.stopped };
};
