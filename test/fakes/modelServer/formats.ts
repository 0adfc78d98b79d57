// Which wire format is spoken where: the end of the path decides.
import { chatFormat } from "./chatFormat.ts";
import type { WireFormat } from "./script.ts";

export const formats: Readonly<Record<string, WireFormat>> = {
	"/chat/completions": chatFormat,
};
