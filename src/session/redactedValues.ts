// Collects the values that results must not show: what is in the editor's secret storage, and variables named like secrets.
import type { SecretStore } from "../core/ports/sessions.ts";

/** API keys, tokens, passwords and their kin, however they are prefixed. */
const NAMED = /(?:^|_)(?:API_?KEY|ACCESS_?KEY(?:_ID)?|SECRET(?:_?KEY)?|PRIVATE_?KEY|TOKEN|PASSWORD|PASSWD|PASSPHRASE|PAT|CREDENTIALS?)$/i;

/** A place of a secret is none, and neither is a choice. */
const NO_SECRET = /^(?:[/~]|[A-Za-z]:\\|file:)/;

interface Sources {
	/** Names in the secret storage. */
	names(): Promise<readonly string[]>;
	secrets: Pick<SecretStore, "get">;
	environment: Readonly<Record<string, string | undefined>>;
}

export interface RedactedValues {
	values(): Promise<readonly string[]>;
	/** A secret has changed. */
	invalidate(): void;
}

/** Asked once until something changes. A secret that cannot be read hides nothing and stops nothing. */
export function createRedactedValues({ names, secrets, environment }: Sources): RedactedValues {
	let known: Promise<readonly string[]> | undefined;
	const look = async (): Promise<string[]> => {
		const stored = await Promise.all((await names()).map((name) => secrets.get(name).catch(() => undefined)));
		const ofVariables = Object.entries(environment).flatMap(([name, value]) => {
			return value !== undefined && NAMED.test(name) && !NO_SECRET.test(value) ? [value.trim()] : [];
		});
		return [...stored.flatMap((value) => (value === undefined ? [] : valuesIn(value.trim()))), ...ofVariables];
	};
	return {
		values: () => {
			known ??= look().catch(() => []);
			return known;
		},
		invalidate() {
			known = undefined;
		},
	};
}

/** What signing in leaves is JSON with tokens in it. */
function valuesIn(stored: string): string[] {
	if (!stored.startsWith("{")) return [stored];
	try {
		return tokensIn(JSON.parse(stored));
	} catch {
		return [stored];
	}
}

function tokensIn(value: unknown): string[] {
	if (typeof value !== "object" || value === null) return [];
	return Object.entries(value).flatMap(([name, part]) =>
		typeof part === "string" ? (/token$|secret|verifier/i.test(name) ? [part] : []) : tokensIn(part),
	);
}
