// Counts the host's files that one message touches, and what it lists, from the page to the model's server.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { findSourceMap } from "node:module";
import { dirname, join, normalize, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { HELPER, watchListings } from "../session/listings.ts";
import { leave, open, type TestChat } from "./testChat.ts";

/** What runs in the page and in VS Code alone: each file hands the message to the next, or is asked by it. */
const PAGE = ["webview-ui/components/composer/Composer.tsx", "webview-ui/host.ts"];
const EDITOR = ["src/vscode/chat/chatViews.ts", "src/vscode/chat/webviewPage.ts"];
/** What the host runs from the page's intent to the request, with the scripted model at its end. */
const HOST = [
	"src/chat/controller.ts",
	"src/chat/composer.ts",
	"src/session/session.ts",
	"src/session/turn/turn.ts",
	"src/runtimes/loop/loop.ts",
	"src/runtimes/loop/retry.ts",
];
/** What the scripted model stands for. */
const PROVIDER = [
	"src/models/openai/openai.ts",
	"src/models/openai/responses.ts",
	"src/models/wire/httpProvider.ts",
	"src/models/wire/streamedAnswer.ts",
];
/** Files of the host in which a function runs, without those of the editor and the provider. */
const MOST_FILES = 120;

describe("a message", () => {
	afterEach(leave);

	it("touches at most 120 files of the host in a warm turn", async () => {
		const setup = await open(() => ({ text: "Hello." }));
		await waitForSuggestions(setup);
		await setup.send("Hello");

		const touched = await listRunFiles(() => setup.send("Hello again"));
		assert.deepEqual(
			HOST.filter((file) => !touched.includes(file)),
			[],
			"the message passes them",
		);
		assert.ok(!touched.includes("src/tools/readFile.ts"), "sees what doesn't run as running");
		assert.ok(touched.length <= MOST_FILES, `${touched.length} files:\n${touched.join("\n")}`);
	});

	it("lists tools, agents and sessions at most twice until its turn has ended", async () => {
		const listings = watchListings();
		const setup = await open(() => ({ text: "Hello." }), { sources: [listings.source], agents: [HELPER], role: "actor" });
		await waitForSuggestions(setup);
		await setup.send("Hello");
		// The page shows the status of the first turn's end, and no other is being prepared.
		await new Promise<void>((resolve) => void setup.chat.handle({ type: "ready" }, resolve));
		const counts = listings.count(setup);
		await setup.send("Hello again");
		assert.ok(counts.tools > 0 && counts.agents > 0, "counts nothing");
		for (const [what, count] of Object.entries(counts)) assert.ok(count <= 2, `lists ${what} ${count} times`);
	});

	it("is handed on from file to file where the host's tests do not run", () => {
		for (const chain of [PAGE, EDITOR, PROVIDER])
			for (const [index, file] of chain.slice(1).entries()) assertImports(chain[index] ?? "", file);
	});
});

/** They are computed in the background for a new session only, and then the status is collected again. */
async function waitForSuggestions(setup: TestChat): Promise<void> {
	await setup.update("status", ({ status }) => status.suggestions.length > 0);
}

/** The files of `src` in which a function runs meanwhile, by V8's count of calls and the source maps of the bundle. */
async function listRunFiles(work: () => Promise<unknown>): Promise<string[]> {
	const session = new Session();
	session.connect();
	try {
		await session.post("Profiler.enable");
		await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
		await work();
		const { result } = await session.post("Profiler.takePreciseCoverage");
		const files = new Set<string>();
		for (const { url, functions } of result) {
			const sourceAt = url.startsWith("file:") ? readSources(fileURLToPath(url)) : undefined;
			if (!sourceAt) continue;
			// At the start of a file is the file itself, which runs when it is loaded.
			const ran = functions.flatMap(({ ranges: [range] }) => (range && range.count > 0 && range.startOffset > 0 ? [range] : []));
			for (const { startOffset } of ran) files.add(sourceAt(startOffset) ?? "");
		}
		return [...files].filter((file) => file.startsWith("src/")).sort();
	} finally {
		session.disconnect();
	}
}

/** The file that a character of a bundle is from; undefined if the bundle has no source map. */
function readSources(bundle: string): ((offset: number) => string | undefined) | undefined {
	const map = findSourceMap(bundle);
	if (!map) return undefined;
	const starts = [0];
	const text = readFileSync(bundle, "utf8");
	for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", end + 1)) starts.push(end + 1);
	return (offset) => {
		const line = starts.findLastIndex((start) => start <= offset);
		const entry = map.findEntry(line, offset - (starts[line] ?? 0));
		if (!("originalSource" in entry)) return undefined;
		const { originalSource: source } = entry;
		const path = source.startsWith("file:") ? fileURLToPath(source) : resolve(dirname(bundle), source);
		return relative(resolve("."), path).replaceAll("\\", "/");
	};
}

function assertImports(from: string, to: string): void {
	assert.ok(existsSync(to), `${to} is on the path`);
	const imported = [...readFileSync(from, "utf8").matchAll(/from "(\.[^"]+)"/g)].map(([, name]) =>
		normalize(join(dirname(from), name ?? "")),
	);
	assert.ok(imported.includes(to), `${from} imports ${to}`);
}
