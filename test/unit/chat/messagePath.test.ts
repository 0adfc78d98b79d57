// Counts the files that one message passes on its way from the page to the model's server.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { leave, open } from "./composingStage.ts";

/** What runs in the page and in VS Code alone: each file hands the message to the next, or is asked by it. */
const PAGE = ["webview-ui/components/composer/Composer.tsx", "webview-ui/host.ts"];
const EDITOR = ["src/vscode/chat/chatViews.ts", "src/vscode/chat/webviewPage.ts"];
/** What the scripted model stands for. */
const PROVIDER = [
	"src/models/openai/openai.ts",
	"src/models/openai/responses.ts",
	"src/models/wire/httpProvider.ts",
	"src/models/wire/streamedAnswer.ts",
];
const LIMIT = 25;

describe("a message", () => {
	afterEach(leave);

	it("passes at most 25 files from the page's composer to the model's server", async () => {
		const depth = Error.stackTraceLimit;
		let stack = "";
		const scene = await open(() => {
			Error.stackTraceLimit = 500;
			stack = new Error("The model is asked.").stack ?? "";
			Error.stackTraceLimit = depth;
			return { text: "Hello." };
		});
		await scene.send("Hello");

		const host = [...new Set(stack.match(/src\/[\w/]+\.ts/g))].reverse();
		assert.equal(host[0], "src/chat/controller.ts", `the stack begins where the page's message arrives:\n${stack}`);
		assert.equal(host.at(-1), "src/runtimes/loop/retry.ts", "and ends where the model is asked");
		for (const chain of [PAGE, EDITOR, PROVIDER])
			for (const [index, file] of chain.slice(1).entries()) assertImports(chain[index] ?? "", file);

		const path = [...PAGE, ...EDITOR, "src/shared/protocol/chat.ts", ...host, ...PROVIDER];
		assert.ok(new Set(path).size <= LIMIT, `${path.length} files:\n${path.join("\n")}`);
	});
});

function assertImports(from: string, to: string): void {
	assert.ok(existsSync(to), `${to} is on the path`);
	const imported = [...readFileSync(from, "utf8").matchAll(/from "(\.[^"]+)"/g)].map(([, name]) =>
		normalize(join(dirname(from), name ?? "")),
	);
	assert.ok(imported.includes(to), `${from} imports ${to}`);
}
