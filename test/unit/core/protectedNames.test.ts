// Tests protected file names.

// One table serves the gate, searches and what a model is told.
import assert from "node:assert/strict";
import { findProtectedPart, isProtectedName, normalizeName } from "../../../src/core/protected/protectedNames.ts";
import { secretNames } from "../../../src/core/protected/secretNames.ts";
import { compileGlob } from "../../../src/platform/search/glob.ts";
import { PROTECTED_GLOBS } from "../../../src/tools/shared/protectedFilter.ts";

describe("a name that is protected from being read", () => {
	const names = [
		...[".git", ".ssh", ".gnupg", ".aws", ".env", ".envrc", ".npmrc", ".netrc", "_netrc", ".git-credentials", ".pypirc", ".pgpass"],
		...[".htpasswd", ".vault-token", ".env.local", ".env.a.b", ".yarnrc", ".yarnrc.yml", "id_rsa", "id_ecdsa_sk", "server.pem", ".key"],
		...["a.p12", "a.pfx", "a.jks", "a.keystore", "a.kdbx", "a.ppk", ".ENV", ".env. .", "ID_RSA", "．env", "\u212Aeys.\u212Aey", "a.PEM"],
		...[".e\u200cnv", ".g\u2064it", ".env-local", ".env_prod", ".environment", "env.production", "prod.env", ".dev.vars", ".envs"],
		...["id_rsa2", "id_ed25519_work", "AuthKey_1.p8", "ssh_host_rsa_key", "krb5cc_1000", "http.keytab", "release.keystore"],
		...["secrets.json", "secret.yaml", "secrets.prod.yml", "app-secrets.json", "credentials.json", "db_credentials.ini", ".secrets"],
		...[".credentials.json"],
		...["service-account-prod.json", "my-service-account.json", "x-firebase-adminsdk-1.json", "client_secret_1.json"],
		...["credentials.tfrc.json"],
		...["terraform.tfstate", "terraform.tfstate.backup", "dev.tfvars", "dev.auto.tfvars.json", "kubeconfig", "prod.kubeconfig", ".kube"],
		...[".my.cnf", ".dockercfg", ".bash_history", ".vault_pass", "cookies.txt", "wp-config.php", ".Renviron"],
		// What editors and people leave behind.
		...[".env~", ".env.swp", "#.env#", ".#.env", "._.env", ".env.bak", ".env (1)", "id_rsa.bak", "id_rsa~", ".id_rsa.swp"],
		...["server.pem.bak"],
		...["server.pem.old", "server.pem.2024-01-01", "server.pem.1", ".netrc~", ".npmrc.save", "secrets.json~", ".secrets.json.swp"],
		...["secrets.json.orig"],
		...["secrets copy.json", "secrets (2).json", "secrets - copy (3).json", "copy of secrets.json", "secrets.json.gz", "~$secrets.txt"],
		...["secrets.json___jb_tmp___", "secrets.json.bak~", ".aws.bak", "server.key.dpkg-old", "credentials.json.~1~"],
	];
	for (const name of names) it(`is ${JSON.stringify(name)}`, () => assert.equal(isProtectedName(normalizeName(name)), true));

	const others = [
		...[".gitignore", ".github", "env", "environment", "environment.ts", "environment.prod.ts", "env.d.ts", "env.ts", "env.mjs"],
		...["id_rsa.pub"],
		...["id_rsa.test.ts", "key", "pem", "a.pem.ts", "keys.ts", "credentials", "credentials.ts", "credentials.go", "aws", "", "secrets.ts"],
		...["secrets.py", "secrets.md", "SecretManager.java", "tokens.json", "token.json", "design.tokens.json", "auth.json", "config.json"],
		...["service-account.ts", "kubeconfig.go", "variables.tf", "main.tf", "secrets.example.json", "credentials.sample.yml"],
		...["example.tfvars"],
		...["sealed-secrets.yaml", "external-secrets.yaml", ".secrets.baseline", "secrets.schema.json", "README.md~", "a.ts.bak"],
		...["copyButton.tsx"],
		...[".env.example", ".env.sample", ".env.template", ".ENV.Example", "example.env", "history.ts", "cookies.ts", "package-lock.json"],
		...["a.1"],
	];
	for (const name of others) it(`is not ${JSON.stringify(name)}`, () => assert.equal(isProtectedName(normalizeName(name)), false));

	it("may take the folder it lies in to be one, and is told as it is written", () => {
		const paths: [string, string | undefined][] = [
			["src/.ENV/a", ".ENV"],
			["a/.docker/config.json", ".docker/config.json"],
			["a/.docker/Dockerfile", undefined],
			["a/.docker/config.json~", ".docker/config.json~"],
			[".Config/GH/Hosts.yml", "GH/Hosts.yml"],
			["auth.json", "auth.json"],
			["locales/en/auth.json", undefined],
			["chart/templates/secret.yaml", undefined],
			["k8s/secret.yaml", "secret.yaml"],
			["chart/templates/secret.yaml/.env", ".env"],
			["src/credentials/aws.ts", undefined],
			[".", undefined],
			["", undefined],
		];
		for (const [path, name] of paths) assert.equal(findProtectedPart(path), name, path);
	});

	it("is never missed by the globs that a search counts with", () => {
		const globs = PROTECTED_GLOBS.map((glob) => compileGlob(glob));
		assert.ok(globs.every((matches) => matches !== undefined));
		const missed = secretNames
			.flatMap(({ names: patterns }) => patterns)
			.filter((pattern) => pattern !== ".git")
			.map((pattern) => pattern.replaceAll("*", "x").replace(/^\//, ""))
			.filter((name) => !globs.some((matches) => matches?.(name) || matches?.(`${name}/x`)));
		assert.deepEqual(missed, []);
	});

	it("is told in linear time", () => {
		for (const piece of [". ", "~", ".bak", " copy", "(1)", ".1", "-", ".sw", "secrets.", ".", "_", "/", "a/", "copy of "]) {
			const name = piece.repeat(20_000 / piece.length);
			const start = process.cpuUsage();
			findProtectedPart(`${name}x`);
			findProtectedPart(`a/${name.slice(0, 250)}`);
			const { user } = process.cpuUsage(start);
			assert.ok(user < 500_000, `${JSON.stringify(piece)}: ${user} µs`);
		}
	});
});

describe("a path whose folder was asked about just before", () => {
	const folders = ["", "src/", ".ssh/", "src/.aws/", ".env.bak/", "a/b/", "/", "node_modules/x/"];
	const names = ["a.ts", ".env", "credentials", "config", "id_rsa~", "", "b"];
	const paths = folders.flatMap((folder) => names.map((name) => `${folder}${name}`));
	const asked = (path: string, before: string) => {
		findProtectedPart(before);
		return findProtectedPart(path);
	};

	it("is protected as it is by itself", () => {
		for (const path of paths) {
			const alone = asked(path, "some/where/else");
			for (const before of paths) assert.equal(asked(path, before), alone, `${path} after ${before}`);
		}
		assert.equal(findProtectedPart(".ssh/a.ts"), ".ssh");
	});
});
