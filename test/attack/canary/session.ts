// A planner's session in a workspace: every tool, and every act of the host for which nobody is asked.
import assert from "node:assert/strict";
import { join } from "node:path";
import { createMentionSuggester } from "../../../src/chat/mentions/mentionSuggester.ts";
import { resolveMentions } from "../../../src/chat/mentions/resolveMentions.ts";
import type { Tool } from "../../../src/core/ports/tool.ts";
import type { Workspace } from "../../../src/core/ports/workspace.ts";
import { readCommitContext } from "../../../src/platform/git/gitChanges.ts";
import { createPlatform, type Platform } from "../../../src/platform/platform.ts";
import { createPromptReport } from "../../../src/session/prompt/promptDiff.ts";
import { scriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestApp, type TestApp } from "../../fakes/testApp.ts";
import { fittingInput } from "../fittingInput.ts";
import { pathCalls } from "../programs.ts";
import type { Hostile } from "./hostileWorkspace.ts";

const PATHS = [".", "a.txt", "src", "sub", ".git", ".git/HEAD", ".git/config", "bin/git", "fifo.txt", "pipe", "nested", ".gitattributes"];

/** Resolves with the names of tools that were called. */
export async function plannersSession(hostile: Hostile): Promise<Set<string>> {
	const script: { calls: { name: string; input: unknown }[] }[] = [];
	const called = new Set<string>();
	const model = scriptedModel((request) => {
		// Another agent that was called: it looks at what the planner looks at.
		if (request.events.findLast((event) => event.type === "started")?.caller)
			return request.events.at(-1)?.type === "result" ? { text: "Done." } : { calls: pathCalls("a.txt").slice(0, 4) };
		const next = request.events.at(-1)?.type === "result" ? undefined : script.shift();
		for (const { name } of next?.calls ?? []) called.add(name);
		return next ?? { text: "Done." };
	});
	let ahead = 0;
	const now = (): Date => new Date(Date.now() + ahead);
	const agents = [{ agentId: "other", displayName: "Other" }];
	const app = await openTestApp({ model, home: hostile.home, settings: { approval: "auto" }, agents, now });
	try {
		script.push(
			{ calls: PATHS.flatMap(pathCalls) },
			{ calls: app.services.tools.map(callOf) },
			{ calls: app.services.tools.filter(({ name }) => name === "present_plan").map(callOf) },
		);
		const { sessionId } = await app.sessions.create({ role: "planner" });
		const session = await app.sessions.get(sessionId);
		const taskEnded = new Promise<void>((resolve) => {
			app.sessions.listen({ event: (_, event) => event.type === "queued" && event.about?.kind === "task" && resolve() });
		});
		app.sessions.listen({
			event(id, event) {
				if (event.type !== "asked") return;
				// An answer at once is not taken.
				ahead += 1_000;
				void app.sessions.get(id).then((asking) => asking.answer(event.request, { allow: false }, "person", event.hash));
			},
		});
		const { signal } = new AbortController();
		const bringing = { session: session, signal, confirm: async () => false, scale: () => Promise.reject(new Error("no picture")) };
		const brought = await resolveMentions(
			"See @changes, @a.txt, @src/, @sub/, @.git/HEAD, @terminal, @problems, @open and @selection.",
			bringing,
		);
		await session.send({ text: "Look around", attachments: brought.attachments });
		await session.send("Look at everything");
		await session.send("Make a plan");
		await taskEnded;
		await session.send("Thank you");
		assert.ok(
			session.state.events.some(({ type }) => type === "plan"),
			"no plan was presented",
		);
		assert.ok(
			session.state.events.some((event) => event.type === "result" && event.view?.kind === "agent" && event.view.status === "complete"),
			"no agent was called",
		);
		await createMentionSuggester(app.services).suggest("n", signal, () => undefined);
		await createPromptReport(session);
		await session.compact();
		await app.sessions.rename(sessionId, "Looked");
		await app.sessions.review.load();
		await app.sessions.list();
		await hostActs(app.services.window.workspace as Workspace & Platform, hostile);
		await worksInCopy(app, signal);
		await app.sessions.delete(sessionId);
	} finally {
		await app.close();
	}
	await withoutRipgrep(hostile);
	return called;
}

/** What the host does for a person or for the gate. */
async function hostActs(workspace: Workspace & Platform, { folder, put }: Hostile): Promise<void> {
	const { programs } = workspace;
	await workspace.commit();
	await (await workspace.watch())();
	await readCommitContext(programs, folder);
	for (const name of ["git", "rg", "bash", "sh", "ls", "node", "locale", "evil", "git-remote-evil"]) await programs.find(name);
	for (const kind of ["own", "reading", "approved", "server"] as const) await programs.environment(kind);
	const limits = { time: 2_000 };
	await programs.git(folder, ["config", "--list", "-z", "--show-scope", "--show-origin", "--includes"], limits);
	await programs.git(folder, ["log", "-p", "--name-only", "-z", "--no-ext-diff", "--no-textconv"], limits);
	await programs.git(folder, ["status", "--porcelain", "--ignore-submodules=all", "--no-renames"], { ...limits, bytes: 1_000_000 });
	await programs.ripgrep(folder, ["--files", "--hidden", "--null"], limits);
	const path = join(folder, "made.txt");
	const [change] = await workspace.apply([{ path, action: "create", content: Buffer.from("made\n") }], new Map([[path, path]]));
	if (change) await workspace.undo(change);
	put("a.txt", "Needle\n");
}

/** What the host does for a task that works in a copy of the workspace, and for a person who takes its changes back. */
async function worksInCopy({ services: { copies } }: TestApp, signal: AbortSignal): Promise<void> {
	assert.ok(copies);
	const refusal = await copies.create("copied", signal).then(
		() => undefined,
		(error: Error) => error.message,
	);
	// A repository in which git can't list the files is not copied.
	if (refusal !== undefined) return assert.match(refusal, /^Git couldn't list the files of /);
	const copy = await copies.find("copied");
	const opened = await copies.open("copied");
	assert.ok(copy && opened, "no copy was made");
	const path = join(copy.folders[0]?.path ?? "", "made.txt");
	await opened.workspace.apply([{ path, action: "create", content: Buffer.from("made\n") }], new Map([[path, path]]));
	await opened.workspace.commit();
	const { changes } = await copies.changes(copy);
	const made = changes.find((change) => change.path === "made.txt");
	assert.ok(made, "the change in the copy was not found");
	await copies.versions(copy, made);
	await copies.take(copy, made);
	await opened.dispose();
	await copies.remove("copied");
	await copies.sweep();
}

/** The same searches where git lists the files. */
async function withoutRipgrep({ home, folder }: Hostile): Promise<void> {
	const machine = createPlatform({
		folders: () => [{ name: "workspace", path: folder }],
		identity: () => folder,
		outputFolder: join(home, "spill"),
		blobs: { put: async () => "", get: async () => undefined },
		findRipgrep: async () => undefined,
		extraVariables: () => ["GIT_EXTERNAL_DIFF", "BASH_ENV", "GIT_SSH_COMMAND"],
	});
	const { signal } = new AbortController();
	await machine.find("**/*", { limit: 1_000, signal }).catch(() => undefined);
	await machine.search({ pattern: "needle", literal: true, limit: 100 }, signal).catch(() => undefined);
	await machine.dispose();
}

/** What calls are to work on; all else is made from the tools' schemas. */
const KNOWN = {
	...{ path: "a.txt", from: "a.txt", to: "moved.txt", pattern: "needle", glob: "**/*", old: "Needle", new: "x", start: 1 },
	...{ command: "git status && rg needle", url: "http://127.0.0.1:9/", id: "c-000000000000", query: "list a" },
	patch: "*** Begin Patch\n*** Delete File: a.txt\n*** End Patch",
	...{ goal: "Look", steps: [{ step_number: 1, action: "Look at a.txt", files: ["a.txt"] }], status: "running" },
	...{ options: [{ label: "One", value: "1" }], agentId: "other", session: "create", isolation: "always" },
};

/** Where a tool takes something else under a name than others do. */
const OWN = (plugin: string) => (plugin === "memory" ? { path: "workspace/a.md" } : {});

/** One call of every tool; those that take a path have had more. */
function callOf(tool: Tool): { name: string; input: unknown } {
	return { name: tool.name, input: fittingInput(tool, { ...KNOWN, ...OWN(tool.plugin) }) };
}
