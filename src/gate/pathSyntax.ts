// Rejects paths by their spelling, before anything is looked up.
import { hasHidden } from "../core/hiddenText.ts";
import { t } from "../shared/l10n.ts";

const reserved = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)/i;

/** The problem with a path as a model wrote it, in a sentence that says what to write instead. */
export function pathSyntaxError(given: string, windows: boolean): string | undefined {
	if (given === "") return 'The path is empty. Write "." for the workspace folder itself.';
	if (given.length > 4096) return t("The path is too long. Use a shorter path.");
	if (hasHidden(given, "selectors")) return t("The path contains control or invisible characters. Remove these characters.");
	if (/^[a-z][a-z0-9+.-]+:/i.test(given)) return t("The path has a URI scheme. Use a path relative to the workspace folder.");
	if (given.startsWith("~")) return 'The path begins with "~". Write it relative to the workspace folder.';
	if (given.includes("\\") && !windows) return 'The path has a backslash. Separate its parts by "/".';
	for (const segment of given.split(windows ? /[\\/]/ : "/")) {
		const error = segmentError(segment, windows);
		if (error !== undefined) return error;
	}
	return windows && /^[\\/]{2}/.test(given) ? t("The path is a network path. Use a path relative to the workspace folder.") : undefined;
}

function segmentError(segment: string, windows: boolean): string | undefined {
	if (/^\s|\s$/.test(segment)) return t("Part of the path starts or ends with a space. Remove the space.");
	if (decoded(segment).some((part) => part !== segment && /^\.\.?$/.test(part))) {
		return 'A part of the path stands for "." or ".." in percent code. Write the path plainly.';
	}
	if (!windows || segment === "." || segment === "..") return undefined;
	if (reserved.test(segment)) return t("{0} is a device name on Windows. Choose another name.", segment);
	if (/[<>"|?*]|[. ]$|.:/.test(segment.replace(/^[a-z]:$/i, "")))
		return t("{0} isn't a valid file name on Windows. Choose another name.", segment);
	return /~\d/.test(segment) ? t("{0} is a short name on Windows. Use the full name.", segment) : undefined;
}

/** The parts of a segment after decoding its percent codes one or more times. */
function decoded(segment: string): string[] {
	const parts: string[] = [];
	let text = segment;
	for (let round = 0; round < 3 && text.includes("%"); round++) {
		text = text.replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
		parts.push(...text.split(/[\\/]/));
	}
	return parts;
}
