// Expands file name patterns as bash does, limited to those independent of locale and shell options.

import type { Disk } from "../../core/ports/workspace/files.ts";
import { nativePath, toForwardSlashes } from "../resolveLinks.ts";
import type { ShellWord } from "./shellWord.ts";

const MAX_NAMES = 1_000;
const MAX_ENTRIES = 20_000;

/** The pattern at the start of a text: `*`, `?`, or brackets around plain characters. Undefined for any other bracket. */
export function leadingGlob(text: string): string | undefined {
	if (text.startsWith("*") || text.startsWith("?")) return text[0];
	return /^\[[!^]?(?:\d-\d|[A-Za-z0-9._])+\]/.exec(text)?.[0];
}

export type GlobExpansion = { names: string[] } | { odd: "dots" | "dash" | "many" | "unreadable" };

/** The names that the shell would replace the word with in that folder; the word itself if nothing matches. */
export async function expandGlob(disk: Disk, word: ShellWord, folder: string): Promise<GlobExpansion> {
	if (!word.pattern || !disk.list) return { odd: "unreadable" };
	const segments = split(word.text, word.pattern);
	if (segments.some(({ text }, index) => index > 0 && (text === "" ? index < segments.length - 1 : climbsAfterName(segments, index)))) {
		return { odd: "unreadable" };
	}
	if (segments.some(({ text, pattern }) => pattern.length > 0 && text.startsWith("."))) return { odd: "dots" };
	let found: string[] = [segments[0]?.text === "" ? "/" : ""];
	for (const [index, { text, pattern }] of segments.entries()) {
		if (index === 0 && text === "") continue;
		const last = index === segments.length - 1;
		if (text === "" && last) {
			found = await folders(disk, found, folder);
			break;
		}
		const next: string[] = [];
		for (const parent of found) {
			const names = pattern.length === 0 ? [text] : await matching(disk, at(folder, parent), text, pattern);
			if (names === undefined) return { odd: "unreadable" };
			for (const name of names) {
				const path = `${parent}${parent === "" || parent.endsWith("/") ? "" : "/"}${name}`;
				if (last && pattern.length === 0 && !(await exists(disk, at(folder, path)))) continue;
				next.push(path);
			}
			if (next.length > MAX_NAMES) return { odd: "many" };
		}
		found = next;
	}
	if (found.length === 0) return { names: [word.text] };
	return found.some((name) => name.startsWith("-")) ? { odd: "dash" } : { names: found.sort() };
}

/** After a folder name, which may be a link, `..` may lead to another folder than expected. */
function climbsAfterName(segments: readonly Segment[], index: number): boolean {
	return segments[index]?.text === ".." && segments.slice(0, index).some(({ text }) => text !== ".." && text !== ".");
}

function at(folder: string, name: string): string {
	return toForwardSlashes(nativePath.resolve(folder, name === "" ? "." : name));
}

async function exists(disk: Disk, path: string): Promise<boolean> {
	return (await disk.lstat(path).catch(() => undefined)) !== undefined;
}

async function folders(disk: Disk, names: readonly string[], folder: string): Promise<string[]> {
	const existing: string[] = [];
	for (const name of names) {
		const real = await disk.realpath(at(folder, name)).catch(() => undefined);
		if (real !== undefined && (await disk.lstat(real).catch(() => undefined))?.type === "directory") existing.push(`${name}/`);
	}
	return existing;
}

/** Matching names in a folder; empty if it is not a folder. Undefined if it has too many entries or a name that is not Unicode. */
async function matching(disk: Disk, folder: string, text: string, pattern: readonly number[]): Promise<string[] | undefined> {
	const entries = await disk.list?.(folder).catch(() => []);
	if (!entries || entries.length > MAX_ENTRIES) return undefined;
	const wanted = parts(text, pattern);
	const found = entries.map(({ name }) => name).filter((name) => !name.startsWith(".") && matchesParts(wanted, [...name]));
	return found.some((name) => name.includes("\ufffd")) ? undefined : found;
}

type Part = "any" | ((character: string) => boolean);

function parts(text: string, pattern: readonly number[]): Part[] {
	const found: Part[] = [];
	for (let index = 0; index < text.length; index++) {
		const character = text[index] as string;
		if (!pattern.includes(index)) found.push((other) => other === character);
		else if (character === "*") found.push("any");
		else if (character === "?") found.push(() => true);
		else {
			const set = leadingGlob(text.slice(index)) as string;
			found.push(matchSet(set));
			index += set.length - 1;
		}
	}
	return found;
}

function matchSet(set: string): (character: string) => boolean {
	const negated = /^\[[!^]/.test(set);
	const inside = set.slice(negated ? 2 : 1, -1).replace(/(\d)-(\d)/g, (_, from: string, to: string) => digits(Number(from), Number(to)));
	return (character) => inside.includes(character) !== negated;
}

function digits(from: number, to: number): string {
	return Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => String(from + index)).join("");
}

/** Runs in time proportional to the product of both lengths: only the last star is retried. */
function matchesParts(wanted: readonly Part[], name: readonly string[]): boolean {
	let [part, place, star, from] = [0, 0, -1, 0];
	while (place < name.length) {
		const test = wanted[part];
		if (test === "any") [star, from, part] = [part, place, part + 1];
		else if (test?.(name[place] as string)) [part, place] = [part + 1, place + 1];
		else if (star >= 0) [part, from, place] = [star + 1, from + 1, from + 1];
		else return false;
	}
	while (wanted[part] === "any") part++;
	return part === wanted.length;
}

interface Segment {
	text: string;
	pattern: number[];
}

function split(text: string, pattern: readonly number[]): Segment[] {
	const segments: Segment[] = [];
	let start = 0;
	for (let index = 0; index <= text.length; index++) {
		if (index < text.length && text[index] !== "/") continue;
		const inside = pattern.filter((place) => place >= start && place < index).map((place) => place - start);
		segments.push({ text: text.slice(start, index), pattern: inside });
		start = index + 1;
	}
	return segments;
}
