// The words of a plain command in the full parser's tree, after quote removal.
import type { Node } from "web-tree-sitter";

/** Undefined for a node that is no command. */
export function commandWords(node: Node): string[] | undefined {
	if (node.type !== "command") return undefined;
	return node.children.flatMap((child) => {
		if (!child?.isNamed || child.type === "variable_assignment" || child.type.endsWith("_redirect")) return [];
		return [unquoted(child)];
	});
}

/** What only the shell could know counts as nothing. */
function unquoted(node: Node): string {
	switch (node.type) {
		case "word":
		case "number":
			return node.childCount > 0 ? joined(node) : node.text.replace(/\\(.)/gs, "$1");
		case "raw_string":
			return node.text.slice(1, -1);
		case "string":
			return quotedText(node);
		case "simple_expansion":
		case "expansion":
			return "";
		default:
			return node.childCount > 0 ? joined(node) : node.text;
	}
}

function joined(node: Node): string {
	return node.children.map((child) => (child ? unquoted(child) : "")).join("");
}

/** The grammar may leave blanks of a string out of its parts, so the text between two parts is taken as it stands. */
function quotedText(node: Node): string {
	let text = "";
	let at = node.startIndex + 1;
	const between = (to: number) => node.text.slice(at - node.startIndex, to - node.startIndex).replace(/\\(["\\$`])/g, "$1");
	for (const child of node.namedChildren) {
		if (!child || child.type === "string_content") continue;
		text += between(child.startIndex) + unquoted(child);
		at = child.endIndex;
	}
	return text + between(node.endIndex - 1);
}
