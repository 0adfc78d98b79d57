// Measures how much of each request repeats the previous one from its start, byte for byte.

// This is the part that a provider's prompt cache can serve.

import { bundleBench, sample } from "./tokens.mjs";

/** Marks for the cache move on with the conversation; they are not part of what is cached. */
const MARKS = new Set(["cache_control", "prompt_cache_key"]);

export async function measureRequests({ say }) {
	const { providers, turnBodies } = await import(await bundleBench("requests"));
	const figures = [];
	for (const format of Object.keys(providers)) {
		const bodies = (await turnBodies(format, sample)).map(cacheable);
		const [repeated, all] = bodies.slice(1).reduce(
			([sum, total], body, index) => {
				const before = bodies[index];
				return [sum + sharedPrefix(before, body), total + before.length];
			},
			[0, 0],
		);
		const changed = (1 - repeated / all) * 100;
		say(`requests ${format}: ${(100 - changed).toFixed(3)} % of ${all} characters repeated`);
		figures.push({
			name: `a request's part that the next one does not repeat, ${format}`,
			unit: "%",
			value: changed,
			reach: { value: 0.1 },
			details: { requests: bodies.length, characters: all },
		});
	}
	return figures;
}

/** Tools, system prompt and messages in the order that providers cache them, piece by piece, without marks. */
function cacheable({ tools, system, instructions, messages, input }) {
	const said = (messages ?? input).flatMap(({ content, ...rest }) => [rest, ...(Array.isArray(content) ? content : [content])]);
	return [tools, system ?? instructions, ...said]
		.map((piece) => JSON.stringify(piece, (key, value) => (MARKS.has(key) ? undefined : value)))
		.join("\n");
}

function sharedPrefix(one, other) {
	let at = 0;
	while (at < one.length && one[at] === other[at]) at += 1;
	return at;
}
