// What a name may be a copy of: editors and people leave copies behind whose names tell of what they hold.

const NONE: readonly string[] = [];

/** What a name, folded, may be a copy of; nothing for most. */
export function listOriginalNames(name: string): readonly string[] {
	if (!mayBeCopied(name)) return NONE;
	const found: string[] = [];
	let copies = [name];
	for (let round = 0; round < 3; round++) {
		copies = copies.flatMap((copy) => (mayBeCopied(copy) ? onceCopied(copy) : []));
		found.push(...copies);
	}
	return found;
}

const LONGEST_NAME = 255;
const ENDINGS = "bak|bk|bkp|backup|back|old|orig|original|saved?|sav|copy|te?mp|prev|previous|rej|un~|undo|disabled|off|dist";
const PACKED = "dpkg-\\w+|rpm(?:save|new|orig)|ucf-\\w+|pac(?:save|new)|gz|bz2|xz|zst|lz4|b64|base64|\\d{1,14}|\\d{4}-\\d\\d-\\d\\d";
/** Those of vim and Kate begin with a dot of their own. */
const SWAP = /^\.?(.+)\.(?:sw[a-px]|kate-swp|un~)$/;
/** How editors and people name the copies that they leave behind; the second group is an ending that stays. */
const COPIED = [
	/^\.?#(.+?)#?$/,
	/^~\$(.+)$/,
	/^\._(.+)$/,
	/^(?:copy|backup) of (.+)$/,
	/^(.+?)(?:\.~\d+)?~$/,
	new RegExp(`^(.+)\\.(?:(?:${ENDINGS})\\d*|${PACKED})$`),
	/^(.+)[-_ ](?:bak|backup|old|orig|copy|save|prev)\d*$/,
	/^(.+)___jb_(?:tmp|old|bak)___$/,
	/^(.+?)(?: - copy| copy|[-_]copy)? ?\(\d+\)(\.[^.]+)?$/,
	/^(.+?)(?: - copy| copy|[-_]copy)(?: \d+)?(\.[^.]+)?$/,
];
function onceCopied(name: string): string[] {
	const swapped = SWAP.exec(name)?.[1];
	if (swapped !== undefined) return [swapped, `.${swapped}`];
	const match = COPIED.map((pattern) => pattern.exec(name)).find((found) => found !== null);
	return match?.[1] === undefined ? [] : [`${match[1]}${match[2] ?? ""}`];
}

/** What the patterns above look for, without a pattern: most names have none of it. */
function mayBeCopied(name: string): boolean {
	if (name.length > LONGEST_NAME) return false;
	if (/[~#(]|copy|___jb_/.test(name) || name.startsWith("._")) return true;
	const ending = name.slice(name.lastIndexOf(".") + 1);
	if (COPY_ENDINGS.has(withoutDigits(ending)) || /^(?:\d|dpkg-|rpm|ucf-|pac|sw[a-px]$)/.test(ending)) return true;
	return COPY_ENDINGS.has(withoutDigits(name.slice(Math.max(name.lastIndexOf("-"), name.lastIndexOf("_"), name.lastIndexOf(" ")) + 1)));
}

const COPY_ENDINGS = new Set([
	...ENDINGS.split("|").map((ending) => ending.replace("?", "")),
	...["save", "saved", "tmp", "temp", "b", "gz", "bz", "xz", "zst", "lz", "base", "kate-swp"],
]);

function withoutDigits(text: string): string {
	let end = text.length;
	while (end > 0 && (text[end - 1] as string) >= "0" && (text[end - 1] as string) <= "9") end--;
	return text.slice(0, end);
}
