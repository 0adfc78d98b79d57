// Suggests up to three prompts based on the workspace: its problems, its changes, and code without tests.

import type { SessionSummary } from "../core/events.ts";
import { toDisplayPath } from "../core/paths.ts";
import type { Services } from "../session/services.ts";
import { formatSessionTitle } from "../session/transcript/sessionTitle.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { t } from "../shared/l10n.ts";
import { withTimeout } from "../shared/node/withTimeout.ts";
import type { RecentSession } from "../shared/protocol/chat.ts";
import { formatPathMention } from "./mentions/mention.ts";

/** Milliseconds. */
const LIMIT = 1_000;
const FRESH = 10_000;

const MAX_SUGGESTIONS = 3;

interface Found {
	list: string[];
	at: number;
}

const known = new WeakMap<Services, Map<boolean, Found>>();

/**
 * The suggestions known so far; calls `later` when there are more, because computing them takes a moment.
 * `offline` returns plain English, which is all that the offline model understands.
 */
export function getSuggestions(services: Services, offline: boolean, later: () => void): string[] {
	const found = known.get(services) ?? new Map<boolean, Found>();
	known.set(services, found);
	const last = found.get(offline);
	if (last && Date.now() - last.at < FRESH) return last.list;
	found.set(offline, { list: last?.list ?? [], at: Date.now() });
	computeSuggestions(services, offline).then((list) => {
		found.set(offline, { list, at: Date.now() });
		if (list.join("\n") !== last?.list.join("\n")) later();
	}, services.log);
	return last?.list ?? [];
}

export async function computeSuggestions(services: Services, offline: boolean): Promise<string[]> {
	if (services.window.workspace.folders().length === 0)
		return offline ? ["Explain what you can do here"] : [t("Explain what you can do here")];
	const list = await (offline ? suggestOffline(services) : suggestForModel(services));
	return list.slice(0, MAX_SUGGESTIONS);
}

/** Returns suggestions for an agent that talks, remembers, and hands work to tasks. */
export function suggestTalk(): string[] {
	return [
		t("What can you do for me?"),
		t("What do you remember about me and this workspace?"),
		t("Find out in the background what this project does"),
	];
}

/** Suggestions for problems and open work first, then general ones. Planner can answer all of them. */
async function suggestForModel(services: Services): Promise<string[]> {
	const pending = [problems, changes, untested, todos, overview].map((suggest) =>
		withinLimit(suggest(services, AbortSignal.timeout(LIMIT))),
	);
	const found = (await Promise.all(pending)).filter((suggestion) => suggestion !== undefined);
	return [...found, t("Find the riskiest part of this code and explain why"), t("Explain the most recent code in this project")];
}

type Suggester = (services: Services, signal: AbortSignal) => Promise<string | undefined>;

const problems: Suggester = async ({ window: { workspace, gate } }) => {
	const errors = (await workspace.diagnostics()).filter(({ severity }) => severity === "error");
	const counts = new Map<string, number>();
	for (const { path } of errors) counts.set(path, (counts.get(path) ?? 0) + 1);
	const [worst] = [...counts].sort(([, left], [, right]) => right - left);
	if (!worst || !(await gate.visible(worst[0]))) return undefined;
	const file = formatPathMention(toDisplayPath(workspace, worst[0]));
	return worst[1] === 1 ? t("Fix the error in {0}", file) : t("Fix the {0} errors in {1}", worst[1], file);
};

const changes: Suggester = async ({ facts, window: { gate } }) => {
	const found = await facts.changes((path) => gate.visible(path));
	if (!found || (found.diff === "" && found.untracked.length === 0)) return undefined;
	return t("Review my uncommitted changes: {0}", "@changes");
};

const SOURCE = /\.(?:[cm]?[jt]sx?|py|go|rs|java|kt|cs|rb|php|swift)$/;
const TEST = /(?:^|\/)(?:tests?|specs?|__tests__)\/|[._-](?:test|spec)\.|(?:^|\/)test_|_test\./;
/** Files that usually have no tests. */
const PLAIN = /(?:^|\/)(?:index|main|types?|constants?|config|setup|__init__)\.|\.d\.[cm]?ts$|\.config\./;
const MOST_FILES = 400;

/** A source file without a matching test, in a project that has tests. */
const untested: Suggester = async ({ window: { workspace } }, signal) => {
	const { paths, more } = await workspace.find("**/*", { limit: MOST_FILES, signal });
	const code = paths.map((path) => path.replaceAll("\\", "/")).filter((path) => SOURCE.test(path));
	const tests = code.filter((path) => TEST.test(path)).map((path) => path.split("/").at(-1)?.toLowerCase() ?? "");
	if (more || tests.length === 0) return undefined;
	const untestedFile = code.find((path) => !TEST.test(path) && !PLAIN.test(path) && !tests.some((test) => test.includes(stem(path))));
	return untestedFile && t("Plan the missing tests for {0}", formatPathMention(untestedFile));
};

const todos: Suggester = async ({ window: { workspace } }, signal) => {
	const { matches } = await workspace.search(
		{ pattern: "\\b(TODO|FIXME)\\b", glob: "*.{ts,tsx,js,jsx,mjs,py,go,rs,java,cs,rb,php}", limit: 50 },
		signal,
	);
	const [first] = matches;
	return (
		first &&
		t("Plan how to resolve the TODO in {0}", formatPathMention(toDisplayPath(workspace, first.path), { lines: [first.line, first.line] }))
	);
};

const overview: Suggester = async ({ window: { workspace } }) => {
	const [folder] = workspace.folders();
	for (const name of ["README.md", "readme.md", "README.rst", "README"]) {
		if (folder && (await workspace.stat(`${folder.path}/${name}`)))
			return t("Explain what this project does and how it is built, from {0}", formatPathMention(name));
	}
	return t("Explain what this project does and how it is built");
};

/** Matches a function that other code can call. */
const DECLARED = "^export (async )?function [A-Za-z_][A-Za-z0-9_]*";
const GENERAL = ["List the files here", "Find TODO", "Run the tests"];

/** Suggestions that the offline model can carry out. */
async function suggestOffline({ window: { workspace } }: Services): Promise<string[]> {
	const looked = await withinLimit(
		workspace.search({ pattern: DECLARED, glob: "*.{ts,tsx,js,jsx,mjs}", limit: 20 }, AbortSignal.timeout(LIMIT)),
	);
	const found = looked?.matches.find((match) => !TEST.test(match.path)) ?? looked?.matches[0];
	const name = found && /function ([A-Za-z0-9_]+)/.exec(found.text)?.[1];
	if (!found || !name) return GENERAL;
	return [`Explain ${found.path.split(/[\\/]/).at(-1)}`, `Find where ${name} is used`, `Rename ${name} to ${name}2 everywhere`];
}

function stem(path: string): string {
	return (path.split("/").at(-1) ?? "").replace(/\..*$/, "").toLowerCase();
}

/** Undefined if it fails or takes too long. */
function withinLimit<T>(looking: Promise<T>): Promise<T | undefined> {
	const found = looking.catch(() => undefined);
	return withTimeout(found, LIMIT, () => undefined);
}

const MAX_RECENT = 3;

export async function listRecentSessions(
	sessions: Pick<Sessions, "running">,
	summaries: readonly SessionSummary[],
	shown: string | undefined,
): Promise<RecentSession[]> {
	const others = summaries.filter(({ sessionId, messageCount }) => sessionId !== shown && messageCount > 0);
	const running = new Set(others.length > 0 ? await sessions.running() : []);
	return others
		.sort((left, right) => right.updatedAt.localeCompare(left.updatedAt))
		.slice(0, MAX_RECENT)
		.map((session) => {
			const state = stateOf(session, running.has(session.sessionId));
			return { id: session.sessionId, title: formatSessionTitle(session), at: session.updatedAt, ...(state && { state }) };
		});
}

function stateOf({ waits, outcome }: SessionSummary, running: boolean): RecentSession["state"] {
	if (waits) return "waiting";
	if (running) return "running";
	return outcome === "failed" || outcome === "interrupted" ? outcome : undefined;
}
