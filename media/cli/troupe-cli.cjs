// Runs one tool of a plugin from a shell: reads the arguments, asks Troupe over its private socket, prints what comes back.
// Plain Node and nothing else: it is copied beside the programs that start it. Arguments: the file with the operations, then
// what was typed.
"use strict";
const { readFileSync } = require("node:fs");
const { connect } = require("node:net");

const LIMIT = 1024 * 1024;
const EXIT = { ok: 0, error: 1, usage: 2, denied: 3, cancelled: 4, unreachable: 5 };

class Usage extends Error {}

async function main() {
	const [file, ...words] = process.argv.slice(2);
	const spec = JSON.parse(readFileSync(file, "utf8"));
	const [name, ...rest] = words;
	if (name === undefined || name === "--help" || name === "-h" || name === "help") return finish("ok", help(spec));
	const operation = spec.operations.find((candidate) => candidate.name === name || candidate.tool === name);
	if (!operation) throw new Usage(`There is no operation ${name}. There are: ${spec.operations.map((one) => one.name).join(", ")}.`);
	if (rest.includes("--help") || rest.includes("-h")) return finish("ok", helpOf(spec, operation));
	const input = await inputOf(operation, rest);
	const { TROUPE_SOCKET: socket, TROUPE_SESSION: session, TROUPE_TOKEN: token } = process.env;
	if (!socket || !session || !token) {
		return finish("unreachable", "This program works only in commands that Troupe runs for an agent that uses it.");
	}
	const request = JSON.stringify({ session, token, plugin: spec.plugin, tool: operation.tool, input });
	if (Buffer.byteLength(request) > LIMIT) throw new Usage("The arguments are larger than 1 MB.");
	const answer = await ask(socket, request);
	return finish(answer.status, answer.output);
}

function ask(socket, request) {
	return new Promise((resolve) => {
		const lost = (why) => resolve({ status: "unreachable", output: `Troupe cannot be reached (${why}). Nothing is known of this call.` });
		const chunks = [];
		let bytes = 0;
		const connection = connect(socket);
		connection.on("connect", () => connection.write(`${request}\n`));
		connection.on("data", (chunk) => {
			bytes += chunk.length;
			if (bytes > LIMIT) return connection.destroy(new Error("its answer is too large"));
			chunks.push(chunk);
		});
		connection.on("error", (error) => lost(error.code ?? error.message));
		connection.on("close", () => {
			try {
				resolve(JSON.parse(Buffer.concat(chunks).toString("utf8")));
			} catch {
				lost("it closed the connection");
			}
		});
	});
}

async function inputOf(operation, words) {
	const input = Object.create(null);
	const set = (key, value) => Object.defineProperty(input, key, { value, enumerable: true, configurable: true, writable: true });
	let all;
	let stdin;
	const fromStdin = async () => {
		stdin ??= readAll();
		return stdin;
	};
	for (let at = 0; at < words.length; at++) {
		const word = words[at];
		const [, name, attached] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? [];
		if (name === undefined) throw new Usage(`${word} is no flag. Fields are given as --field value.`);
		const value = () => {
			const given = attached ?? words[++at];
			if (given === undefined) throw new Usage(`--${name} needs a value.`);
			return given;
		};
		if (name === "json") {
			const text = value();
			all = parsed("json", text === "-" ? await fromStdin() : text);
			if (typeof all !== "object" || all === null || Array.isArray(all)) throw new Usage("--json takes one JSON object.");
			continue;
		}
		const negated = name.startsWith("no-") ? operation.flags.find((one) => one.type === "boolean" && one.name === name.slice(3)) : undefined;
		if (negated) {
			set(negated.name, false);
			continue;
		}
		const flag = operation.flags.find((one) => one.name === name || one.name.replaceAll("_", "-") === name);
		if (!flag) throw new Usage(`${operation.name} has no field ${name}. It has: ${operation.flags.map((one) => `--${one.name}`).join(" ") || "none"}.`);
		if (flag.type === "boolean") {
			if (attached !== undefined && attached !== "true" && attached !== "false") throw new Usage(`--${name} is true or false.`);
			set(flag.name, attached !== "false");
			continue;
		}
		const text = value();
		const whole = text === "-" && flag.type !== "number" ? await fromStdin() : text;
		if (flag.type === "list") set(flag.name, [...(input[flag.name] ?? []), whole]);
		else set(flag.name, valueOf(flag, whole));
	}
	const merged = Object.assign(Object.create(null), all, input);
	const missing = operation.flags.filter((flag) => flag.required && !Object.hasOwn(merged, flag.name));
	if (missing.length > 0) throw new Usage(`${operation.name} needs ${missing.map((flag) => `--${flag.name}`).join(" and ")}.`);
	return merged;
}

function valueOf({ type, name }, text) {
	if (type === "number") {
		const number = Number(text);
		if (text.trim() === "" || !Number.isFinite(number)) throw new Usage(`--${name} is a number.`);
		return number;
	}
	return type === "json" ? parsed(name, text) : text;
}

function parsed(name, text) {
	try {
		return JSON.parse(text);
	} catch {
		throw new Usage(`--${name} takes JSON.`);
	}
}

async function readAll() {
	const chunks = [];
	let bytes = 0;
	for await (const chunk of process.stdin) {
		bytes += chunk.length;
		if (bytes > LIMIT) throw new Usage("Standard input is larger than 1 MB.");
		chunks.push(chunk);
	}
	return Buffer.concat(chunks).toString("utf8").replace(/\n$/, "");
}

function help(spec) {
	return [
		`${spec.name}: ${spec.description}`,
		"",
		...spec.operations.map((operation) => `  ${usage(operation)}`),
		"",
		"--field - reads standard input; --json '{…}' gives all fields at once; <operation> --help says more.",
	].join("\n");
}

function helpOf(spec, operation) {
	const lines = operation.flags.map((flag) => `  --${flag.name} (${flag.values?.join("|") ?? flag.type}${flag.required ? ", required" : ""}) ${flag.description}`.trimEnd());
	return [`${spec.name} ${usage(operation)}`, "", operation.description, ...lines].join("\n");
}

function usage({ name, flags }) {
	return [name, ...flags.map((flag) => (flag.required ? `--${flag.name} …` : `[--${flag.name} …]`))].join(" ");
}

/** What a call gives goes to standard output; why there is nothing goes to standard error. */
function finish(status, text) {
	process.exitCode = EXIT[status] ?? EXIT.error;
	const stream = status === "ok" ? process.stdout : process.stderr;
	stream.write(text === "" || text.endsWith("\n") ? text : `${text}\n`);
}

main().catch((error) => finish(error instanceof Usage ? "usage" : "error", error.message));
