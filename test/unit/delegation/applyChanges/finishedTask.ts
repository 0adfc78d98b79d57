// Test fixture: a finished task in a copy of a repository, and what a person takes of it.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { TakeResult, TaskChange } from "../../../../src/delegation/applyChanges/applyChanges.ts";
import { commitAll } from "../../platform/copies/support.ts";
import { newHome, openTestTasks, spawning, type TestTasks } from "../tasks/testTasks.ts";

const LINES = Array.from({ length: 30 }, (_, index) => `line ${index}\n`);
export const FILES = {
	"src/a.ts": LINES.join(""),
	"src/b.ts": "export const b = 1;\n",
	"old.txt": "old\n",
	"package.json": '{ "scripts": { "test": "true" } }\n',
	"eslint.config.js": "export default [];\n",
	".gitignore": "dist\n",
};

export interface Taken extends TestTasks {
	taskId: string;
	/** Its first folder. */
	copy: string;
	/** Writes a file of the copy; undefined deletes it. */
	change(name: string, content: string | undefined): void;
	put(name: string, content: string): void;
	read(name: string): string;
	list(): Promise<readonly TaskChange[]>;
	one(path: string): Promise<TaskChange>;
	takeOne(path: string, hunks?: number[]): Promise<TakeResult>;
	takeAll(): Promise<TakeResult>;
}

/** A task that is done, in a copy of a workspace with a repository. */
export async function finishedTask(options: { home?: string; settings?: object; until?: Promise<void> } = {}): Promise<Taken> {
	const home = options.home ?? newHome();
	const folder = join(home, "workspace");
	for (const [name, content] of Object.entries(FILES)) write(folder, name, content);
	commitAll(folder);
	const setup: TestTasks = await openTestTasks(
		{
			caller: [spawning("count", { type: "quick", isolation: "always" }), { text: "It runs." }, { text: "I see." }],
			count: async () => {
				if (options.until !== undefined) return { text: "Three.", until: options.until };
				// A copy in which nothing differs is removed with the task's end.
				const { sessionId } = (await setup.tasks())[0] ?? assert.fail("no task");
				write(await copyOf(setup, sessionId), KEPT, "");
				return { text: "Three." };
			},
		},
		{ home, ...(options.settings && { settings: options.settings }) },
	);
	await setup.caller.send("Count");
	const { sessionId: taskId } = await setup.state(options.until === undefined ? "done" : "running");
	if (options.until === undefined) rmSync(join(await copyOf(setup, taskId), KEPT));
	return opened(setup, taskId);
}

async function copyOf({ app }: TestTasks, taskId: string): Promise<string> {
	return (await app.services.copies?.find(taskId))?.folders[0]?.path ?? assert.fail("no copy");
}

const KEPT = "kept.txt";

export async function opened(setup: TestTasks, taskId: string): Promise<Taken> {
	const { app } = setup;
	const { applyChanges } = app.delegation.tasks;
	const copy = await copyOf(setup, taskId);
	const list = async () => (await applyChanges.list(taskId)).changes;
	const one = async (path: string) => (await list()).find((change) => change.path === path) ?? assert.fail(`${path} has no change`);
	return {
		...setup,
		taskId,
		copy,
		list,
		one,
		change: (name, content) => (content === undefined ? rmSync(join(copy, name)) : write(copy, name, content)),
		put: (name, content) => write(app.folder, name, content),
		read: (name) => readFileSync(join(app.folder, name), "utf8"),
		takeOne: async (path, hunks) => applyChanges.take(taskId, { shown: (await one(path)).shown, path, ...(hunks && { hunks }) }),
		takeAll: async () => applyChanges.take(taskId, { shown: (await applyChanges.list(taskId)).shown }),
	};
}

export function write(folder: string, name: string, content: string): void {
	mkdirSync(dirname(join(folder, name)), { recursive: true });
	writeFileSync(join(folder, name), content);
}

export function outcomes({ files }: TakeResult): string[] {
	return files.map(({ path, outcome }) => `${path}: ${outcome}`);
}

export function edited(...changed: number[]): string {
	return LINES.map((line, index) => (changed.includes(index) ? `changed ${index}\n` : line)).join("");
}

/** Resolves once that many files are to be reviewed. */
export function reviewed({ app }: TestTasks, count: number): Promise<void> {
	const { review } = app.sessions;
	return new Promise((resolve) => {
		const look = () => {
			if (review.files().length !== count) return;
			listening.dispose();
			resolve();
		};
		const listening = review.onChange(look);
		look();
	});
}

/** An editor with unsaved text formats what is written first. What is written after that fails with `problem`, if there is one. */
export function formatFirstWrite({ app }: TestTasks, problem?: Error): void {
	const { workspace } = app.services.window;
	const apply = workspace.apply.bind(workspace);
	const format = (content: Uint8Array) => Buffer.from(Buffer.from(content).toString().replace("=", " = "));
	let isUnsaved = true;
	workspace.unsaved = () => isUnsaved;
	workspace.apply = async (edits, real) => {
		if (!isUnsaved && problem) throw problem;
		const formats = isUnsaved;
		isUnsaved = false;
		return apply(
			formats ? edits.map((edit) => ("content" in edit && edit.content ? { ...edit, content: format(edit.content) } : edit)) : edits,
			real,
		);
	};
}

export const applyChangesOf = ({ app }: TestTasks) => app.delegation.tasks.applyChanges;
