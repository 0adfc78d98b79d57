// Puts the person's secrets where `${secret:NAME}` stands. A value is in nothing that is shown, hashed or logged.
import { t } from "../shared/l10n.ts";

const PLACE = /\$\{secret:([^{}]*)\}/g;

/** What a variable cannot hold, and a header: who tries is told so with the whole value. */
const UNFIT = { variable: /\0/, header: /[^\t\x20-\xff]|\x7f/ };

/** Throws a sentence where a secret is not there, or cannot be handed on. */
export async function resolveSecrets(
	values: Readonly<Record<string, string>>,
	secret: (name: string) => Promise<string | undefined>,
	use: keyof typeof UNFIT = "variable",
	used: (value: string) => void = () => undefined,
): Promise<Record<string, string>> {
	const filled: Record<string, string> = {};
	for (const [key, value] of Object.entries(values)) {
		const known = new Map<string, string>();
		for (const [, name = ""] of value.matchAll(PLACE)) {
			const found = await secret(name);
			if (!found) {
				throw new Error(t("The secret {0} is not set. Keep it with “Troupe: Set Secret”, then send a message again.", name));
			}
			if (UNFIT[use].test(found)) throw new Error(t("The secret {0} has a character that cannot be sent. Set it again.", name));
			known.set(name, found);
			used(found);
		}
		filled[key] = value.replace(PLACE, (_, name: string) => known.get(name) ?? "");
	}
	return filled;
}

/** Shorter ones stand in half of all texts. */
const SHORTEST = 6;

/** What a server says where something goes wrong, in which it may repeat what it was given. */
export function redactSecrets(text: string, secrets: Iterable<string>): string {
	let hidden = text;
	for (const secret of secrets) if (secret.length >= SHORTEST) hidden = hidden.replaceAll(secret, "[hidden]");
	return hidden;
}
