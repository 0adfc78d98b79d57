// Lists servers' prompts by full name, and fetches them as message text.
import * as z from "zod";
import type { ServerPrompt } from "../core/ports/tool.ts";
import { UserError } from "../core/userError.ts";
import { t } from "../shared/l10n.ts";
import { serverReasonOf } from "./serverReason.ts";
import type { SessionServer } from "./sessionServer.ts";
import { formatContentBlock } from "./tools.ts";
import { cleanBlock, cleanLine } from "./wire/sanitize.ts";

type Servers = ReadonlyMap<string, SessionServer> | undefined;

const Messages = z.looseObject({
	messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })).max(100),
});

/** Maximum bytes of a prompt. */
const LIMIT = 32_768;

export function listPrompts(servers: Servers): ServerPrompt[] {
	return [...(servers?.values() ?? [])].flatMap(({ connection }) => connection.prompts);
}

export async function getPrompt(
	servers: Servers,
	name: string,
	values: Readonly<Record<string, string>>,
	signal: AbortSignal,
): Promise<string> {
	for (const { connection } of servers?.values() ?? []) {
		const found = connection.prompts.find((prompt) => prompt.name === name);
		if (!found) continue;
		const missing = found.arguments.filter((one) => one.required && !values[one.name]).map((one) => one.name);
		if (missing.length > 0) throw new UserError(t("{0} requires a value for {1}.", name, missing.join(", ")));
		const asked = { name: found.prompt, arguments: values };
		const { messages } = await connection.request("prompts/get", asked, Messages, { signal }).catch((error: unknown) => {
			signal.throwIfAborted();
			throw new UserError(cleanLine(serverReasonOf(error, connection.log), 500));
		});
		const words = messages.map(({ role, content }) => {
			const text = (Array.isArray(content) ? content : [content]).map((block) => formatContentBlock(block)).join("\n");
			return role === "user" ? text : `(${t("assistant response")}) ${text}`;
		});
		return cleanBlock(words.join("\n\n"), LIMIT);
	}
	throw new UserError(t("The prompt {0} isn't available in this session. Its server may not have started yet.", name));
}
