// Creates Seatbelt profiles (macOS) for files and network; the last matching rule wins.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { hasControl } from "../../core/hiddenText.ts";
import { ToolError } from "../../core/ports/tool.ts";
import { execScript } from "../programs/shell.ts";
import type { SandboxLaunch } from "../programs/startProgram.ts";
import { normalizeRules, type PathRule, type SandboxPolicy } from "./policy.ts";

export function wrapWithSeatbelt(start: SandboxLaunch, view: SandboxPolicy): SandboxLaunch {
	const tempFolder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-")));
	try {
		const profile = createSeatbeltProfile(view, tempFolder);
		return {
			...start,
			file: "/bin/sh",
			args: ["-c", execScript(!view.workspaceWrite), "/usr/bin/sandbox-exec", "-p", profile, start.file, ...start.args],
			env: { ...start.env, TMPDIR: tempFolder },
			async afterExit() {
				rmSync(tempFolder, { recursive: true, force: true });
				return (await start.afterExit?.()) ?? [];
			},
		};
	} catch (error) {
		rmSync(tempFolder, { recursive: true, force: true });
		throw error;
	}
}

/** `own`: a temporary folder for the command. Throws ToolError for a path that a profile cannot contain. */
export function createSeatbeltProfile(view: SandboxPolicy, own: string): string {
	const places = normalizeRules(view.rules.filter(({ access: seen }) => typeof seen !== "object" && seen !== "own"));
	const shown = places.filter(({ access: seen }) => seen === "readable" || seen === "writable").map(({ path }) => path);
	const above = new Set([own, ...shown].flatMap(ancestors));
	return [
		"(version 1)",
		"(allow default)",
		...(view.network ? [] : ["(deny network*)"]),
		"(deny signal)",
		"(allow signal (target same-sandbox))",
		"(deny appleevent-send)",
		...OPENERS.map((path) => `(deny process-exec ${literal(path)})`),
		"(deny file-write*)",
		`(allow file-write* ${DEVICES.map(literal).join(" ")} (regex #"^/dev/fd/[0-9]+$"))`,
		...places.flatMap(rulesOf),
		`(allow file-read* file-write* ${subpath(own)})`,
		...(above.size > 0 ? [`(allow file-read-metadata ${[...above].sort().map(literal).join(" ")})`] : []),
		"",
	].join("\n");
}

/** Programs that delegate work to processes outside. */
const OPENERS = ["/usr/bin/open", "/usr/bin/osascript", "/bin/launchctl", "/usr/bin/at", "/usr/bin/crontab"];
const DEVICES = ["/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/dtracehelper"];

function rulesOf({ path, access: seen, kind, pinned }: PathRule): string[] {
	const filter = kind === "folder" ? subpath(path) : literal(path);
	if (seen === "hidden" || seen === "blank") return [`(deny file-read* file-write* ${filter})`];
	if (seen === "writable") {
		return [`(allow file-read* file-write* ${filter})`, ...(pinned ? [`(deny file-write-unlink ${literal(path)})`] : [])];
	}
	return [`(allow file-read* ${filter})`, `(deny file-write* ${filter})`];
}

function literal(path: string): string {
	return `(literal ${quoted(path)})`;
}

function subpath(path: string): string {
	return `(subpath ${quoted(path)})`;
}

function quoted(path: string): string {
	if (hasControl(path)) {
		throw new ToolError(`The sandbox cannot be told about the path ${JSON.stringify(path)}: it holds a control character. Nothing ran.`);
	}
	return `"${path.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

function ancestors(path: string): string[] {
	const above: string[] = [];
	for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) above.push(folder);
	return above;
}
