// Collects the values to redact from results: the editor's stored secrets, and environment variables named like secrets.
import type { SecretStore } from "../../core/ports/sessions.ts";
import type { Services } from "../services.ts";

/** Names of API keys, tokens, passwords and the like, with any prefix. */
const NAMED = /(?:^|_)(?:API_?KEY|ACCESS_?KEY(?:_ID)?|SECRET(?:_?KEY)?|PRIVATE_?KEY|TOKEN|PASSWORD|PASSWD|PASSPHRASE|PAT|CREDENTIALS?)$/i;

/** The path of a secret is not a secret. */
const NO_SECRET = /^(?:[/~]|[A-Za-z]:\\|file:)/;

interface Sources {
	/** Names in the secret storage. */
	names(): Promise<readonly string[]>;
	secrets: Pick<SecretStore, "get">;
	environment: Readonly<Record<string, string | undefined>>;
}

export interface RedactedValues {
	values(): Promise<readonly string[]>;
	/** Called when a secret has changed. */
	invalidate(): void;
}

/** Cached until invalidated. A secret that cannot be read is skipped. */
export function createRedactedValues({ names, secrets, environment }: Sources): RedactedValues {
	let known: Promise<readonly string[]> | undefined;
	const collect = async (): Promise<string[]> => {
		const stored = await Promise.all((await names()).map((name) => secrets.get(name).catch(() => undefined)));
		const variables = Object.entries(environment).flatMap(([name, value]) => {
			return value !== undefined && NAMED.test(name) && !NO_SECRET.test(value) ? [value.trim()] : [];
		});
		return [...stored.flatMap((value) => (value === undefined ? [] : extractValues(value.trim()))), ...variables];
	};
	return {
		values: () => {
			known ??= collect().catch(() => []);
			return known;
		},
		invalidate() {
			known = undefined;
		},
	};
}

/** Sign-in data is JSON that contains tokens. */
function extractValues(stored: string): string[] {
	if (!stored.startsWith("{")) return [stored];
	try {
		return extractTokens(JSON.parse(stored));
	} catch {
		return [stored];
	}
}

function extractTokens(value: unknown): string[] {
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([name, part]) =>
		typeof part === "string" ? (/token$|secret|verifier/i.test(name) ? [part] : []) : extractTokens(part),
	);
}

/** Replaces a secret. */
export const REDACTED_VALUE = "[secret hidden by Troupe]";

/** Minimum length of redacted values; shorter ones occur by chance. */
const SHORTEST = 12;

/** Creates a function that removes the currently known secrets from a text. */
export async function createRedactor({ hidden }: Pick<Services, "hidden">): Promise<(text: string) => string> {
	const known = (await hidden?.()) ?? [];
	// Longest first: if one secret contains another, its rest would remain otherwise.
	const values = [...new Set(known)].filter(({ length }) => length >= SHORTEST).sort((left, right) => right.length - left.length);
	return (text) => values.reduce((left, value) => (left.includes(value) ? left.replaceAll(value, REDACTED_VALUE) : left), text);
}
