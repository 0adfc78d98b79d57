// The floor: the least that could be called a coding agent. One file, a text box, a bare fetch loop and four tools.
// No checks, no transcript, no stop: what an extension costs beyond this is what it is measured by.
const { spawn } = require("node:child_process");
const { existsSync } = require("node:fs");
const { mkdir, readdir, readFile, writeFile } = require("node:fs/promises");
const { dirname, join } = require("node:path");
const vscode = require("vscode");

exports.activate = (context) => {
	context.subscriptions.push(
		vscode.window.registerWebviewViewProvider("floor.chat", {
			resolveWebviewView({ webview }) {
				webview.options = { enableScripts: true };
				const messages = [];
				webview.onDidReceiveMessage(async (text) => {
					messages.push({ role: "user", content: text });
					await turn(messages, (update) => webview.postMessage(update));
				});
				webview.html = page;
			},
		}),
	);
};

async function turn(messages, show) {
	for (;;) {
		const answer = await ask(messages, show);
		messages.push(answer);
		if (answer.tool_calls.length === 0) return;
		for (const { id, function: call } of answer.tool_calls) {
			const input = JSON.parse(call.arguments);
			const output = await tools[call.name](input);
			messages.push({ role: "tool", tool_call_id: id, content: output });
			show({ line: `${call.name} ${JSON.stringify(input)}` });
		}
	}
}

async function ask(messages, show) {
	const response = await fetch(`${vscode.workspace.getConfiguration("floor").get("url")}/chat/completions`, {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ model: "scripted", stream: true, messages, tools: offered }),
	});
	const answer = { role: "assistant", content: "", tool_calls: [] };
	const decoder = new TextDecoder();
	let rest = "";
	for await (const bytes of response.body) {
		const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
		rest = lines.pop();
		for (const line of lines) {
			if (!line.startsWith("data: {")) continue;
			const delta = JSON.parse(line.slice(6)).choices[0]?.delta;
			if (delta?.content) {
				answer.content += delta.content;
				show({ text: delta.content });
			}
			for (const { index, id, function: part } of delta?.tool_calls ?? []) {
				answer.tool_calls[index] ??= { id, type: "function", function: { name: part.name, arguments: "" } };
				answer.tool_calls[index].function.arguments += part.arguments;
			}
		}
	}
	return answer;
}

const root = () => vscode.workspace.workspaceFolders[0].uri.fsPath;

const tools = {
	read_file: ({ path }) => readFile(join(root(), path), "utf8"),
	list_directory: async ({ path }) => (await readdir(join(root(), path))).join("\n"),
	search_code: ({ pattern, path = "." }) =>
		new Promise((resolve, reject) => {
			const child = spawn(ripgrep, ["--line-number", "--no-heading", "--", pattern, join(root(), path)], {
				stdio: ["ignore", "pipe", "pipe"],
			});
			let output = "";
			child.stdout.on("data", (chunk) => {
				output += chunk;
			});
			child.on("error", reject);
			child.on("close", () => resolve(output));
		}),
	create_file: ({ path, content }) => write(join(root(), path), content),
	update_file: async ({ path, old, new: replacement }) => {
		const text = await readFile(join(root(), path), "utf8");
		if (text.split(old).length !== 2) return "The text does not occur exactly once.";
		return write(
			join(root(), path),
			text.replace(old, () => replacement),
		);
	},
};

async function write(path, content) {
	await mkdir(dirname(path), { recursive: true });
	await writeFile(path, content);
	return "written";
}

const offered = Object.entries({
	read_file: ["path"],
	list_directory: ["path"],
	search_code: ["pattern"],
	create_file: ["path", "content"],
	update_file: ["path", "old", "new"],
}).map(([name, required]) => ({
	type: "function",
	function: {
		name,
		parameters: { type: "object", required, properties: Object.fromEntries(required.map((key) => [key, { type: "string" }])) },
	},
}));

const platform = `${process.platform}-${process.arch}`;
const ripgrep =
	["node_modules", "node_modules.asar.unpacked"]
		.flatMap((modules) => [`${modules}/@vscode/ripgrep-universal/bin/${platform}/rg`, `${modules}/@vscode/ripgrep/bin/rg`])
		.map((path) => join(vscode.env.appRoot, path))
		.find(existsSync) ?? "rg";

const page = `<!DOCTYPE html>
<html lang="en">
<body>
<div role="log" aria-label="Conversation"></div>
<textarea aria-label="Message"></textarea>
<script>
const host = acquireVsCodeApi();
const log = document.querySelector("[role=log]");
const box = document.querySelector("textarea");
let open;
box.addEventListener("keydown", (key) => {
	if (key.key !== "Enter") return;
	key.preventDefault();
	host.postMessage(box.value);
	box.value = "";
});
window.addEventListener("message", ({ data: { text, line } }) => {
	if (text === undefined) open = undefined;
	open ??= log.appendChild(document.createElement("p"));
	open.textContent += text ?? line;
	if (text === undefined) open = undefined;
	log.scrollIntoView(false);
});
</script>
</body>
</html>`;
