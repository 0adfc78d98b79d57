// Benchmark figures: Troupe's samples beside a baseline's, their targets, and the result table.

/**
 * @typedef {object} Figure
 * @property {string} name
 * @property {"ms" | "µs" | "MB" | "kB" | "%" | "tokens"} unit
 * @property {number} value
 * @property {number} [floor] the same measured of the least that could do the job
 * @property {{ value: number } | { ratio: number } | { over: number }} [reach] at most: itself, times its floor, more than its floor
 * @property {string} [note]
 * @property {object} [details] for the JSON
 */

export function median(samples) {
	return quantile(samples, 0.5);
}

/** `share` from 0 to 1; between two samples it lies on the line between them. */
export function quantile(samples, share) {
	if (samples.length === 0) throw new Error("nothing was measured");
	const sorted = [...samples].sort((one, other) => one - other);
	const at = (sorted.length - 1) * share;
	const [below, above] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
	return below + (above - below) * (at - Math.floor(at));
}

/** What a reach is held against. */
function reached({ value, floor, reach }) {
	if ("ratio" in reach) return { is: value / floor, most: reach.ratio };
	if ("over" in reach) return { is: value - floor, most: reach.over };
	return { is: value, most: reach.value };
}

export function isMet(figure) {
	if (!figure.reach) return undefined;
	const { is, most } = reached(figure);
	return is <= most;
}

function reachText({ reach, unit }) {
	if (!reach) return "";
	if ("ratio" in reach) return `≤ ${reach.ratio} ×`;
	if ("over" in reach) return `≤ +${number(reach.over)} ${unit}`;
	return `≤ ${number(reach.value)} ${unit}`;
}

/** @param {readonly Figure[]} figures */
export function table(figures) {
	const rows = figures.map((figure) => {
		const { name, value, floor, unit } = figure;
		const met = isMet(figure);
		const ratio = floor ? `${number(value / floor)} ×` : "";
		const over = floor !== undefined && figure.reach && "over" in figure.reach ? `${signed(value - floor)} ${unit}` : ratio;
		return [
			name,
			`${number(value)} ${unit}`,
			floor === undefined ? "" : `${number(floor)} ${unit}`,
			over,
			reachText(figure),
			met === undefined ? "" : met ? "met" : "MISSED",
		];
	});
	const all = [["figure", "Troupe", "floor", "beside it", "reach", ""], ...rows];
	const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
	const lines = all.map((row) =>
		row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join("  "),
	);
	const notes = figures.filter(({ note }) => note).map(({ name, note }) => `${name}: ${note}`);
	return [lines[0], widths.map((width) => "─".repeat(width)).join("  "), ...lines.slice(1), ...(notes.length ? ["", ...notes] : [])].join(
		"\n",
	);
}

/** Three digits that count, and no more than anybody reads. */
function number(value) {
	if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
	return String(Number(value.toPrecision(value >= 10 ? 3 : 2)));
}

function signed(value) {
	return value < 0 ? `−${number(-value)}` : `+${number(value)}`;
}
