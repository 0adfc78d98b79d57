// Names that are protected from being read: one table for the gate and for searches.
import assert from "node:assert/strict";
import { foldName, isProtectedReading } from "../../../src/core/protectedNames.ts";

describe("a name that is protected from being read", () => {
	const names = [
		...[".git", ".ssh", ".gnupg", ".aws", ".env", ".envrc", ".npmrc", ".netrc", "_netrc", ".git-credentials", ".pypirc", ".pgpass"],
		...[".htpasswd", ".vault-token", ".env.local", ".env.a.b", ".yarnrc", ".yarnrc.yml", "id_rsa", "id_ecdsa_sk", "server.pem", ".key"],
		...["a.p12", "a.pfx", "a.jks", "a.keystore", "a.kdbx", "a.ppk", ".ENV", ".env. .", "ID_RSA", "．env", "\u212Aeys.\u212Aey", "a.PEM"],
	];
	for (const name of names) it(`is ${JSON.stringify(name)}`, () => assert.equal(isProtectedReading(foldName(name)), true));

	const others = [
		".gitignore",
		"env",
		"environment",
		".environment",
		"id_rsa.pub",
		"id_rsa2",
		"key",
		"pem",
		"a.pem.ts",
		"credentials",
		"aws",
		"",
	];
	for (const name of others) it(`is not ${JSON.stringify(name)}`, () => assert.equal(isProtectedReading(foldName(name)), false));
});
