// Names memory files as their tools do.
import { t } from "../../src/shared/l10n.ts";

const FOLDER = /^memory:(?=(?:person|workspace)\/)/;

/** "person/style.md" of the display path "memory:person/style.md"; undefined for other files. */
export function memoryName(path: string): string | undefined {
	return FOLDER.test(path) ? path.replace(FOLDER, "") : undefined;
}

/** "Memory: person/style.md", because it would look like a file of the workspace; another path as it is. */
export function fileTitle(path: string): string {
	const memory = memoryName(path);
	return memory === undefined ? path : t("Memory: {0}", memory);
}
