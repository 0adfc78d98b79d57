// Runs parts side by side as far as their weights fit the processors.

/** A part that weighs no more may begin before a heavier one that waits for its place. */
const LIGHT = 1 / 4;

/**
 * Parts begin in their order, each after the one that it names in `after`. One that doesn't fit yet holds back all behind it but light
 * ones, so that it isn't overtaken forever. Resolves with what `run` resolved with, in the order of the parts; `run` doesn't reject.
 */
export async function runByWeight(parts, capacity, run) {
	const waiting = [...parts];
	const results = new Map();
	let free = capacity;
	await new Promise((resolve) => {
		function startNext() {
			if (results.size === parts.length) return resolve();
			let isHeldBack = false;
			for (const part of [...waiting]) {
				if (part.after !== undefined && !results.has(part.after)) continue;
				const fits = part.weight <= free || free === capacity;
				if (!fits || (isHeldBack && part.weight > LIGHT)) {
					isHeldBack = true;
					continue;
				}
				waiting.splice(waiting.indexOf(part), 1);
				free -= part.weight;
				void run(part).then((result) => {
					results.set(part.name, result);
					free += part.weight;
					startNext();
				});
			}
		}
		startNext();
	});
	return parts.map(({ name }) => results.get(name));
}
