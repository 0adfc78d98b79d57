// The plain values of the `vscode` API: addresses, ranges, events, cancellation and Markdown.
import { posix } from "node:path";
import type * as vscode from "vscode";

type UriParts = Partial<Pick<vscode.Uri, "scheme" | "authority" | "path" | "query" | "fragment">>;

export class Uri {
	readonly scheme: string;
	readonly authority: string;
	readonly path: string;
	readonly query: string;
	readonly fragment: string;
	private constructor({ scheme = "file", authority = "", path = "", query = "", fragment = "" }: UriParts) {
		this.scheme = scheme;
		this.authority = authority;
		this.path = path;
		this.query = query;
		this.fragment = fragment;
	}
	static from(parts: UriParts): Uri {
		return new Uri(parts);
	}
	static file(path: string): Uri {
		return new Uri({ path });
	}
	static joinPath(base: Uri, ...names: string[]): Uri {
		return base.with({ path: posix.join(base.path, ...names) });
	}
	get fsPath(): string {
		return this.path;
	}
	with(change: UriParts): Uri {
		return new Uri({ ...this.toJSON(), ...change });
	}
	toJSON(): Required<UriParts> {
		const { scheme, authority, path, query, fragment } = this;
		return { scheme, authority, path, query, fragment };
	}
	/** Unencoded, and different for different addresses. */
	toString(): string {
		return `${this.scheme}://${this.authority}${this.path}?${this.query}#${this.fragment}`;
	}
}

export class Position {
	readonly line: number;
	readonly character: number;
	constructor(line: number, character: number) {
		this.line = line;
		this.character = character;
	}
}

export class Range {
	readonly start: Position;
	readonly end: Position;
	constructor(startLine: number, startCharacter: number, endLine: number, endCharacter: number) {
		this.start = new Position(startLine, startCharacter);
		this.end = new Position(endLine, endCharacter);
	}
}

export class Location {
	readonly uri: Uri;
	readonly range: Range;
	constructor(uri: Uri, range: Range) {
		this.uri = uri;
		this.range = range;
	}
}

export class Disposable implements vscode.Disposable {
	private readonly end: () => unknown;
	constructor(end: () => unknown) {
		this.end = end;
	}
	static from(...all: { dispose(): unknown }[]): Disposable {
		return new Disposable(() => {
			for (const one of all) one.dispose();
		});
	}
	dispose(): unknown {
		return this.end();
	}
}

export class EventEmitter<T = void> implements vscode.EventEmitter<T> {
	private readonly listeners = new Set<(value: T) => unknown>();
	readonly event = (listener: (value: T) => unknown): Disposable => {
		this.listeners.add(listener);
		return new Disposable(() => this.listeners.delete(listener));
	};
	fire(value: T): void {
		for (const listener of [...this.listeners]) listener(value);
	}
	dispose(): void {
		this.listeners.clear();
	}
}

export class CancellationTokenSource implements vscode.CancellationTokenSource {
	private readonly cancelled = new EventEmitter<void>();
	readonly token: { isCancellationRequested: boolean; onCancellationRequested: vscode.Event<void> } = {
		isCancellationRequested: false,
		onCancellationRequested: this.cancelled.event,
	};
	cancel(): void {
		if (this.token.isCancellationRequested) return;
		this.token.isCancellationRequested = true;
		this.cancelled.fire();
	}
	dispose(): void {
		this.cancelled.dispose();
	}
}

export class MarkdownString {
	value: string;
	isTrusted?: boolean;
	constructor(value = "") {
		this.value = value;
	}
	appendMarkdown(text: string): this {
		this.value += text;
		return this;
	}
	/** Escapes as VS Code does. */
	appendText(text: string): this {
		return this.appendMarkdown(
			text
				.replace(/[\\`*_{}[\]()#+!~]/g, "\\$&")
				.replace(/^([ \t]*)-/gm, "$1\\-")
				.replace(/[ \t]/g, "&nbsp;")
				.replaceAll(">", "\\>")
				.replaceAll("\n", "\n\n"),
		);
	}
}

export class ThemeColor {}

export class ThemeIcon {
	readonly id: string;
	constructor(id: string) {
		this.id = id;
	}
}

export class CodeLens {
	readonly command: unknown;
	constructor(_: Range, command: unknown) {
		this.command = command;
	}
}

export class CodeAction {
	readonly title: string;
	readonly kind: unknown;
	constructor(title: string, kind: unknown) {
		this.title = title;
		this.kind = kind;
	}
}

export class TreeItem {
	readonly label: string;
	readonly collapsibleState: number;
	constructor(label: string, collapsibleState = 0) {
		this.label = label;
		this.collapsibleState = collapsibleState;
	}
}

export const CodeActionKind = { QuickFix: "quickfix" };
export const ConfigurationTarget = { Global: 1 };
export const ProgressLocation = { Notification: 15 };
export const QuickPickItemKind = { Separator: -1, Default: 0 };
export const StatusBarAlignment = { Left: 1, Right: 2 };
export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };
export const ViewColumn = { Beside: -2 };
