// A small loop that runs the offline model on a real folder.

// It keeps events as the app does and has tools over node:fs.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { minimatch } from "minimatch";
import type { Attachment, EventBody, EventOf, ResultStatus, TranscriptEvent } from "../../../src/core/events.ts";
import type { ModelProvider, ToolSpec } from "../../../src/core/ports/model.ts";
import { createOfflineProvider } from "../../../src/models/offline/offline.ts";
import { applyHunks, parsePatch } from "../../../src/tools/shared/patchFormat.ts";
import { replaceOnce } from "../../../src/tools/updateFile.ts";

const READING = ["read_file", "list_directory", "find_files", "search_code"];
const PLANNING = ["present_plan", "ask_question"];
const CHANGING = ["update_file", "apply_patch", "create_file", "delete_file", "rename_file", "execute_command", "update_step"];

export type Files = Record<string, string>;

export interface Session {
	folder: string;
	events: TranscriptEvent[];
	role: "planner" | "actor";
	/** Made anew for each request: nothing but the events may carry what a model knows. */
	provider: () => ModelProvider;
	/** Sends a message and runs the turn; returns what the model said in it. */
	send(text: string, answers?: string, attachments?: Attachment[]): Promise<string>;
	/** Approves the plan shown last and runs the turn. */
	execute(): Promise<string>;
	/** Answers the question shown last with one of its values. */
	answer(value: string): Promise<string>;
	files(): Files;
	calls(): string[];
	last<T extends EventBody["type"]>(type: T): EventOf<T>;
	/** Decides about a call before it runs; undefined lets it run. */
	refuse?: (name: string, input: Record<string, unknown>) => { status: ResultStatus; output: string } | undefined;
	/** Commands run as real processes; else they end well at once, since npm takes its time. */
	realCommands: boolean;
	/** Tools that are not offered. */
	without: string[];
	dispose(): void;
}

export function openSession(
	files: Files,
	role: Session["role"] = "planner",
	provider: () => ModelProvider = createOfflineProvider,
): Session {
	const folder = mkdtempSync(join(tmpdir(), "offline-"));
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	}
	const session: Session = {
		folder,
		events: [],
		role,
		provider,
		realCommands: false,
		without: [],
		async send(text, answers, attachments) {
			push(session, { type: "user", text, ...(answers !== undefined && { answers }), ...(attachments && { attachments }) });
			return runTurn(session);
		},
		execute() {
			const { planId, version, hash } = session.last("plan");
			session.role = "actor";
			push(session, { type: "role", role: "actor", plan: { planId, version, hash } });
			return session.send("Execute the plan.");
		},
		answer(value) {
			const { request, question } = session.last("question");
			push(session, { type: "answered", request, answer: { value } });
			return session.send(question.options?.find((option) => option.value === value)?.label ?? value, request);
		},
		files: () => Object.fromEntries(allFiles(folder).map((path) => [path, readFileSync(join(folder, path), "utf8")])),
		calls: () => session.events.flatMap((event) => (event.type === "assistant" ? (event.calls ?? []) : [])).map((call) => call.name),
		last(type) {
			const found = session.events.findLast((event) => event.type === type);
			if (!found) throw new Error(`there is no ${type} event`);
			return found as never;
		},
		dispose: () => rmSync(folder, { recursive: true, force: true }),
	};
	return session;
}

function push(session: Session, body: EventBody): void {
	const seq = session.events.length + 1;
	// As from disk: nothing of a call survives but its JSON.
	session.events.push(JSON.parse(JSON.stringify({ id: `e${seq}`, seq, at: "2025-01-01T00:00:00Z", by: "host", ...body })));
}

async function runTurn(session: Session): Promise<string> {
	const said: string[] = [];
	const names = [...READING, ...PLANNING, ...(session.role === "actor" ? CHANGING : [])].filter((name) => !session.without.includes(name));
	const tools = names.map(
		(name): ToolSpec => ({ name, description: name, parameters: { type: "object", properties: properties[name] ?? {} } }),
	);
	for (let step = 0; step < 100; step++) {
		const stream = session.provider().stream({ model: "offline", system: "", tools, events: session.events }, new AbortController().signal);
		let text = "";
		const calls: { id: string; name: string; input: Record<string, unknown> }[] = [];
		for await (const chunk of stream) {
			if (chunk.type === "text") text += chunk.text;
			if (chunk.type === "call") calls.push({ id: chunk.id, name: chunk.name, input: JSON.parse(chunk.arguments) });
		}
		push(session, { type: "assistant", text, ...(calls.length > 0 ? { calls } : {}) });
		if (text) said.push(text);
		if (calls.length === 0) return said.join("\n");
		for (const call of calls) runCall(session, names, call);
		if (calls.some((call) => PLANNING.includes(call.name))) return said.join("\n");
	}
	throw new Error("the turn does not end");
}

const properties: Record<string, object> = { search_code: { pattern: {}, path: {}, glob: {}, literal: {}, ignore_case: {} } };

function runCall(
	session: Session,
	offered: readonly string[],
	{ id, name, input }: { id: string; name: string; input: Record<string, unknown> },
): void {
	const refused = offered.includes(name) ? session.refuse?.(name, input) : { status: "denied" as const, output: `${name} is not offered.` };
	let result: { status: ResultStatus; output: string };
	try {
		result = refused ?? { status: "ok", output: run(session, name, input) };
	} catch (error) {
		result = { status: "error", output: error instanceof Error ? error.message : String(error) };
	}
	push(session, { type: "result", call: id, ...result });
	if (result.status !== "ok") return;
	const seq = session.events.length;
	if (name === "present_plan") {
		push(session, { type: "plan", plan: input as never, planId: "p", version: seq, hash: `h${seq}`, basis: { files: [] } });
	}
	if (name === "ask_question") push(session, { type: "question", request: `q${seq}`, question: input as never });
	if (name === "update_step") push(session, { type: "step", step_number: Number(input["step_number"]), status: input["status"] as never });
}

function run(session: Session, name: string, input: Record<string, unknown>): string {
	const at = (path: unknown) => join(session.folder, String(path));
	const put = (path: unknown, text: string) => {
		mkdirSync(dirname(at(path)), { recursive: true });
		writeFileSync(at(path), text);
	};
	const path = String(input["path"] ?? "");
	switch (name) {
		case "read_file": {
			const lines = readFileSync(at(path), "utf8")
				.replace(/\r?\n$/, "")
				.split(/\r?\n/);
			const start = Number(input["start"] ?? 1);
			const page = lines
				.slice(start - 1, start - 1 + 50)
				.map(
					(line, index) =>
						`${start + index}\t${line.length > 2000 ? `${line.slice(0, 2000)} … [${line.length - 2000} more characters]` : line}`,
				);
			const last = start + page.length - 1;
			if (start > 1 || last < lines.length)
				page.push(`[lines ${start}-${last} of ${lines.length}${last < lines.length ? `; go on with start=${last + 1}` : ""}]`);
			return page.join("\n");
		}
		case "list_directory":
			return readdirSync(at(path), { withFileTypes: true })
				.map((entry) => entry.name + (entry.isDirectory() ? "/" : ""))
				.sort()
				.join("\n");
		case "find_files":
			return (
				allFiles(session.folder)
					.filter((file) => minimatch(file, String(input["glob"])))
					.join("\n") || `No file matches ${input["glob"]}. Ignored files are not searched.`
			);
		case "search_code":
			return search(session, input);
		case "update_file":
			put(path, replaceOnce(readFileSync(at(path), "utf8"), String(input["old"]), String(input["new"]), path));
			return `Edited ${path}`;
		case "apply_patch":
			for (const section of parsePatch(String(input["patch"]))) {
				if (section.action === "update") put(section.path, applyHunks(readFileSync(at(section.path), "utf8"), section.hunks, section.path));
			}
			return "Patched";
		case "create_file":
			if (existsSync(at(path))) throw new Error(`${path} exists already`);
			put(path, String(input["content"]));
			return `Created ${path}`;
		case "delete_file":
			rmSync(at(path));
			return `Deleted ${path}`;
		case "rename_file":
			mkdirSync(dirname(at(input["to"])), { recursive: true });
			renameSync(at(input["from"]), at(input["to"]));
			return "Renamed";
		case "execute_command": {
			if (!session.realCommands) return "exit code: 0\n# pass 1\n# fail 0";
			const { status, stdout, stderr } = spawnSync(String(input["command"]), { cwd: session.folder, shell: true, encoding: "utf8" });
			return `exit code: ${status}\n${stdout}${stderr}`;
		}
		default:
			return "Shown to the person.";
	}
}

const SHOWN = 20;

function search({ folder }: Session, input: Record<string, unknown>): string {
	const source = input["literal"] ? String(input["pattern"]).replace(/[\\^$.*+?()[\]{}|]/g, "\\$&") : String(input["pattern"]);
	const pattern = new RegExp(source, input["ignore_case"] ? "iu" : "u");
	const under = String(input["path"] ?? "").replace(/^\.$/, "");
	if (under !== "" && !existsSync(join(folder, under))) throw new Error(`${under} does not exist`);
	const rows = allFiles(folder)
		.filter((file) => under === "" || file === under || file.startsWith(`${under}/`))
		.filter((file) => input["glob"] === undefined || minimatch(file, String(input["glob"])))
		.flatMap((file) =>
			readFileSync(join(folder, file), "utf8")
				.split(/\r?\n/)
				.flatMap((line, index) => (pattern.test(line) ? [`${file}:${index + 1}:${line.slice(0, 500)}`] : [])),
		);
	const shown = rows.slice(0, SHOWN);
	const files = new Set(shown.map((row) => row.split(":")[0]));
	const more = rows.length > SHOWN ? ["[more matches than are shown; narrow with path or glob]"] : [];
	return [...shown, ...more, `[${shown.length} matches in ${files.size} files]`].join("\n");
}

function allFiles(folder: string): string[] {
	return readdirSync(folder, { recursive: true, encoding: "utf8" })
		.filter((name) => statSync(join(folder, name)).isFile())
		.map((name) => name.replaceAll("\\", "/"))
		.sort();
}
