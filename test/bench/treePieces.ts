// The classes of the editor that the tree's rows are made of, for a measurement without an editor.
export class TreeItem {
	label: string;
	collapsibleState: number;

	constructor(label: string, collapsibleState = 0) {
		this.label = label;
		this.collapsibleState = collapsibleState;
	}
}

export const TreeItemCollapsibleState = { None: 0, Collapsed: 1, Expanded: 2 };

export class ThemeColor {
	readonly id: string;

	constructor(id: string) {
		this.id = id;
	}
}

export class ThemeIcon {
	readonly id: string;
	readonly color: ThemeColor | undefined;

	constructor(id: string, color?: ThemeColor) {
		this.id = id;
		this.color = color;
	}
}

export class MarkdownString {
	value = "";

	appendText(text: string): this {
		this.value += text.replace(/[\\`*_{}[\]()#+\-!~]/g, "\\$&");
		return this;
	}
}

export class EventEmitter {
	readonly event = () => ({ dispose: () => undefined });

	fire(): void {}
}

export const commands = { executeCommand: async (): Promise<void> => undefined };
