// Counts the tokens of first messages and of a turn of twenty tool calls.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { root } from "../../scripts/install.mjs";
import { copyParser } from "../../scripts/parserAssets.mjs";

export const sample = join(root, "samples", "shop");

const LIMITS = { planner: 2_000, actor: 3_000 };

export async function measureTokens({ say }) {
	const { helloBody, mainHelloTokens, taskHelloBody, turnBodies } = await import(await bundleBench("requests"));
	const figures = [];
	const task = await taskHelloBody("explore", sample);
	figures.push({
		name: 'first "hello" of a background task that explores',
		unit: "tokens",
		value: tokensOf(task.messages) + tokensOf(task.tools),
		reach: { value: 1_300 },
	});
	const empty = await mkdtemp(join(tmpdir(), "troupe-empty-"));
	const main = await mainHelloTokens(empty);
	await rm(empty, { recursive: true });
	figures.push({
		name: 'first "hello" of the main agent',
		unit: "tokens",
		value: main,
		reach: { value: 3_000 },
	});
	for (const [role, value] of Object.entries(LIMITS)) {
		const body = await helloBody(role, sample);
		const system = body.messages.filter((message) => message.role === "system");
		const parts = { system: tokensOf(system), tools: tokensOf(body.tools) };
		say(`tokens hello ${role}: ${parts.system} + ${parts.tools}`);
		figures.push({
			name: `system prompt and tools of a first "hello", ${role}`,
			unit: "tokens",
			value: parts.system + parts.tools,
			reach: { value },
			details: parts,
		});
	}
	const bodies = await turnBodies("chat", sample);
	const sent = bodies.map(({ messages, tools }) => tokensOf(messages) + tokensOf(tools));
	figures.push({
		name: "prompt tokens sent in all, a turn of 20 tool calls",
		unit: "tokens",
		value: sent.reduce((sum, tokens) => sum + tokens, 0),
		reach: { value: 375_000 },
		details: { sent },
	});
	return figures;
}

/** As JSON, so a little more than what a model reads. */
function tokensOf(value) {
	return countTokens(JSON.stringify(value));
}

/** Resolves with the URL of the bundle. */
export async function bundleBench(name) {
	const outdir = join(root, "out", "bench", "app");
	await build({
		absWorkingDir: root,
		entryPoints: { [name]: `test/bench/${name}.ts` },
		outdir,
		bundle: true,
		packages: "external",
		format: "esm",
		outExtension: { ".js": ".mjs" },
		platform: "node",
		target: "node20",
		logLevel: "warning",
	});
	await copyParser(join(root, "out", "parser"));
	return pathToFileURL(join(outdir, `${name}.mjs`)).href;
}
