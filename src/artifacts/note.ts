// A note on disk: Markdown below a few lines that hold its name and tags. Lines there that nobody knows are kept.
import { cleanLine, cleanTags } from "./names.ts";

export interface Note {
	name: string;
	tags: string[];
	text: string;
	/** Lines of the head that are not ours. */
	also: string[];
}

const FENCE = "---";
/** Lines of a head; a `---` further down is part of the text. */
const HEAD_LINES = 100;

/** Never fails: a file without a head is all text. */
export function parseNote(file: string, id: string): Note {
	const lines = file.replace(/^\ufeff/, "").split(/\r?\n/);
	const end = lines[0] === FENCE ? lines.slice(0, HEAD_LINES).indexOf(FENCE, 1) : -1;
	if (end < 0) return { name: id, tags: [], text: file.replace(/^\ufeff/, ""), also: [] };
	const note: Note = { name: id, tags: [], text: lines.slice(lines[end + 1] === "" ? end + 2 : end + 1).join("\n"), also: [] };
	for (const line of lines.slice(1, end)) {
		const [, key, value = ""] = /^(title|tags):(.*)$/.exec(line) ?? [];
		if (key === "title") note.name = cleanLine(unquoted(value.trim())) ?? id;
		else if (key === "tags")
			note.tags = cleanTags(
				value
					.replace(/^\s*\[|\]\s*$/g, "")
					.split(",")
					.map((tag) => unquoted(tag.trim())),
			);
		else note.also.push(line);
	}
	return note;
}

export function printNote({ name, tags, text, also }: Note): string {
	const head = [FENCE, `title: ${JSON.stringify(name)}`, ...(tags.length > 0 ? [`tags: [${tags.join(", ")}]`] : []), ...also, FENCE];
	return `${head.join("\n")}\n\n${text}`;
}

function unquoted(value: string): string {
	if (/^".*"$/.test(value)) {
		try {
			return String(JSON.parse(value));
		} catch {
			return value.slice(1, -1);
		}
	}
	return /^'.*'$/.test(value) ? value.slice(1, -1).replaceAll("''", "'") : value;
}
