// Stands in the extension host before the others are activated, and times one of them (BENCH_WATCHED, an extension's
// folder name begins with it): from the `require` of its bundle to `activate` resolved, with the context it really gets.
// Writes what it saw, with every file of that extension loaded by then, to BENCH_SEEN.
const { writeFileSync } = require("node:fs");
const Module = require("node:module");
const { basename, dirname, sep } = require("node:path");

exports.activate = () => {
	const watched = process.env["BENCH_WATCHED"];
	const load = Module._load;
	Module._load = function (request, parent, isMain) {
		const folder = folderOf(request, watched);
		if (!folder) return load.call(this, request, parent, isMain);
		Module._load = load;
		const cpu = process.cpuUsage();
		const began = performance.now();
		const loaded = load.call(this, request, parent, isMain);
		return timed(loaded, { cpu, began, required: performance.now() }, folder);
	};
};

/** The extension's folder, when this is the watched one's bundle. */
function folderOf(request, watched) {
	const parts = request.split(sep);
	const at = parts.findIndex((part) => part.startsWith(`${watched}-`));
	return at < 0 ? undefined : parts.slice(0, at + 1).join(sep);
}

function timed(loaded, { cpu, began, required }, folder) {
	return {
		...loaded,
		async activate(context) {
			const called = performance.now();
			const api = await loaded.activate(context);
			const resolved = performance.now();
			const { user, system } = process.cpuUsage(cpu);
			const files = Object.keys(require.cache).filter((path) => path.startsWith(folder + sep));
			const seen = {
				total: resolved - began,
				require: required - began,
				between: called - required,
				activate: resolved - called,
				cpu: (user + system) / 1_000,
				files: files.map((path) => `${basename(dirname(path))}/${basename(path)}`),
			};
			writeFileSync(process.env["BENCH_SEEN"], JSON.stringify(seen));
			return api;
		},
	};
}
