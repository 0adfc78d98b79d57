// Names of files that hold secrets, and git's own: the gate asks before one is read, and a search knows by them what it leaves out.

/** As folded names. */
export const protectedReading = {
	/** Everything below them and they themselves. */
	folders: [".git", ".ssh", ".gnupg", ".aws"],
	files: [
		...[".env", ".envrc", ".npmrc", ".netrc", "_netrc", ".git-credentials", ".pypirc", ".pgpass", ".htpasswd", ".vault-token"],
		...["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa_sk", "id_dsa_sk", "id_ecdsa_sk", "id_ed25519_sk"],
	],
	beginnings: [".env.", ".yarnrc"],
	endings: [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk"],
};

const whole = new Set([...protectedReading.folders, ...protectedReading.files]);

/** Whether one segment of a path, folded, is such a name. What lies below a folder of such a name is protected with it. */
export function isProtectedReading(name: string): boolean {
	if (whole.has(name)) return true;
	const { beginnings, endings } = protectedReading;
	return beginnings.some((beginning) => name.startsWith(beginning)) || endings.some((ending) => name.endsWith(ending));
}

/**
 * A segment as disks that are not exact take it: without regard to case, width and trailing dots. Upper case first: a few
 * letters (ſ, the Kelvin sign) equal plain ones on disks that ignore case, but only that way round.
 */
export function foldName(segment: string): string {
	const plain = /^[!-~]*$/.test(segment) ? segment : segment.normalize("NFKC").toUpperCase();
	return plain.toLowerCase().replace(/[. ]+$/, "");
}
