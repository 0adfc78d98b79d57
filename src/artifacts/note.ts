// Parses and prints notes: Markdown with front matter for name and tags; unknown lines are kept.
import { DRAWN, removeHidden, toOneLine } from "../core/hiddenText.ts";
import { ArtifactError } from "../core/ports/artifacts.ts";
import { splitFrontMatter } from "../shared/node/frontMatter.ts";

export interface Note {
	name: string;
	tags: string[];
	text: string;
	/** Other lines of the front matter. */
	also: string[];
}

const FENCE = "---";
/** Maximum lines of front matter; a later `---` is part of the text. */
const HEAD_LINES = 98;

/** Never fails: a file without front matter is plain text. */
export function parseNote(file: string, id: string): Note {
	const parts = splitFrontMatter(file);
	const head = parts?.head.split(/\r?\n/).slice(0, -1) ?? [];
	if (!parts || head.length > HEAD_LINES) return { name: id, tags: [], text: file.replace(/^\ufeff/, ""), also: [] };
	const note: Note = { name: id, tags: [], text: parts.body.replaceAll("\r\n", "\n").replace(/^\n/, ""), also: [] };
	for (const line of head) {
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

export const NAME_LENGTH = 120;
const ID_LENGTH = 48;
const TAGS = 20;

/** Returns one line without invisible characters, at most `length` characters; undefined if it would be empty. */
export function cleanLine(text: string, length = NAME_LENGTH): string | undefined {
	const plain = toOneLine(text, ...DRAWN);
	return [...plain].slice(0, length).join("").trim() || undefined;
}

/** Removes invisible characters from a multiline text; line ends become `\n`. */
export function cleanText(text: string): string {
	return removeHidden(text.replace(/\r\n?/g, "\n"), "lines", ...DRAWN);
}

/** Tags consist of letters, digits, `_` and `-`, starting with a letter; lowercase, without `#`. Others are omitted. */
export function cleanTags(tags: readonly string[]): string[] {
	const clean = tags.flatMap((tag) => {
		const plain = tag.trim().replace(/^#/, "").toLowerCase();
		return isTag(plain) ? [plain] : [];
	});
	return [...new Set(clean)].slice(0, TAGS);
}

/** Works like cleanTags, for a model's input. Throws ArtifactError for invalid or too many tags. */
export function parseTags(given: readonly string[]): string[] {
	const clean = cleanTags(given);
	const wrong = given.find((tag) => tag.trim() !== "" && cleanTags([tag]).length === 0);
	if (wrong !== undefined) {
		const rule = "A tag is one word of at most 40: a letter, then letters, digits, _ and -";
		throw new ArtifactError("invalid", `“${cleanLine(wrong, 60) ?? ""}” is no tag. ${rule}`);
	}
	if (new Set(given).size > TAGS) throw new ArtifactError("invalid", `At most ${TAGS} tags are kept. Choose the best of them`);
	return clean;
}

export function isTag(text: string): boolean {
	return /^\p{L}[\p{L}\p{N}_-]{0,39}$/u.test(text);
}

/** Creates an ID that is unique within its kind. IDs are lowercase, since some file systems are case-insensitive. */
export function uniqueId(name: string, fallback: string, taken: (id: string) => boolean): string {
	const plain = name
		.normalize("NFKD")
		.toLowerCase()
		.replace(/[\u0300-\u036f]/g, "")
		.replace(/[^a-z0-9_]+/g, "-")
		.slice(0, ID_LENGTH)
		.replace(/^-+|-+$/g, "");
	const base = plain === "" || RESERVED.test(plain) ? `${fallback}${plain && `-${plain}`}` : plain;
	if (!taken(base)) return base;
	for (let number = 2; ; number += 1) if (!taken(`${base}-${number}`)) return `${base}-${number}`;
}

/** Names that Windows reserves for devices, with any extension. */
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)$/;

export function isId(id: string): boolean {
	return /^[A-Za-z0-9_-]{1,64}$/.test(id);
}
