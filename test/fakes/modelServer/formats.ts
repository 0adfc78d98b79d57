// Maps request path suffixes to wire formats.
import { anthropicFormat } from "./anthropicFormat.ts";
import { chatFormat } from "./chatFormat.ts";
import { responsesFormat } from "./responsesFormat.ts";
import type { WireFormat } from "./script.ts";

export const formats: Readonly<Record<string, WireFormat>> = {
	"/chat/completions": chatFormat,
	"/responses": responsesFormat,
	"/messages": anthropicFormat,
};
