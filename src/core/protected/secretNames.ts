// Table of names of files that hold secrets, and of git's own folder, with a reason for each group.

// Names are normalized like the paths they match; a name covers everything below it.
import { withExtensions } from "./namePatterns.ts";

interface SecretNames {
	/** Reason why they are in the table, for readers of this file. */
	why: string;
	names: readonly string[];
	/** Exceptions that are not protected. */
	unless?: readonly string[];
}

/** Extensions of files that contain values, not source code. */
const DATA = [
	...["json", "jsonc", "json5", "yml", "yaml", "toml", "ini", "conf", "cfg", "config", "properties", "xml", "plist", "txt", "csv", "env"],
	...["db", "sqlite", "dat", "bin", "kdb"],
];
const SAMPLES = [
	"*.example.*",
	"*.sample.*",
	"*.template.*",
	"*.tmpl.*",
	"*.dist.*",
	"*.schema.*",
	"*.enc.*",
	"*.sops.*",
	"*example*",
	"*sample*",
];
const SOURCE = [
	"*.ts",
	"*.tsx",
	"*.mts",
	"*.cts",
	"*.js",
	"*.jsx",
	"*.mjs",
	"*.cjs",
	"*.py",
	"*.go",
	"*.rs",
	"*.java",
	"*.kt",
	"*.rb",
	"*.php",
].concat([
	"*.cs",
	"*.c",
	"*.h",
	"*.cc",
	"*.cpp",
	"*.hpp",
	"*.swift",
	"*.sh",
	"*.vue",
	"*.svelte",
	"*.md",
	"*.html",
	"*.css",
	"*.snap",
	"*.map",
]);

export const secretNames: readonly SecretNames[] = [
	{
		why: "git's own folder: what is in it decides what git runs, and its history holds what was deleted",
		names: [".git"],
	},
	{
		why: "variables of an environment, where passwords and keys are kept by custom; the samples are made to be read",
		names: [
			...[".env", ".env.*", ".env-*", ".env_*", ".envrc", ".environment", ".envs", ".dev.vars", ".dev.vars.*", ".localenv"],
			...withExtensions(
				["env"],
				["local", "development", "dev", "production", "prod", "staging", "stage", "test", "testing", "ci", "preview"],
			),
			...withExtensions(["env"], ["qa", "uat", "live", "secret", "secrets", "private", "backup"]),
			...["*.env", ".renviron", ".codespaces"],
		],
		unless: [
			".env.example",
			".env.sample",
			".env.template",
			".env-example",
			".env-sample",
			".env-template",
			"example.env",
			"sample.env",
			"template.env",
			"*.example.env",
			"*.sample.env",
		],
	},
	{
		why: "private keys and stores of them, by what their formats are called",
		names: [
			...["*.pem", "*.key", "*.p12", "*.pfx", "*.p8", "*.pk8", "*.pkcs8", "*.pkcs12", "*.pvk", "*.snk", "*.ppk", "*.jks", "*.jceks"],
			...["*.bks"],
			...["*.keystore", "*.keytab", "krb5cc_*", "*.kdb", "*.kdbx", "*.keychain", "*.keychain-db", "*.agekey", "*.ovpn", "ssh_host_*_key"],
			...["wallet.dat", "keystore.properties", "key.properties", "signing.properties"],
		],
	},
	{
		why: "keys of SSH, also under names that people give their second ones",
		names: [".ssh", "id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "id_xmss*"],
		unless: ["*.pub", ...SOURCE],
	},
	{
		why: "credentials that tools keep in their own files",
		names: [
			...[".gnupg", ".aws", ".azure", ".oci", ".kube", ".gcloud", ".password-store", ".npmrc", ".yarnrc*", ".netrc", "_netrc", ".authinfo"],
			...[".authinfo.*", ".git-credentials", ".pypirc", ".pgpass", "pgpass.conf", ".my.cnf", ".mylogin.cnf", ".htpasswd", "htpasswd"],
			...[".htdigest"],
			...[".vault-token", ".vault_pass*", ".vault-pass*", "vault_pass*.txt", "vault-pass*.txt", ".dockercfg", ".dockerconfigjson", ".boto"],
			...[".s3cfg", ".passwd-s3fs", "rclone.conf", ".rclone.conf", ".terraformrc", "terraform.rc", ".databrickscfg", ".snowsql"],
			...[".sentryclirc"],
			...["ngrok.yml", ".ngrok2", ".p4tickets", ".cvspass", ".fetchmailrc", ".msmtprc", ".mbsyncrc", ".smbcredentials", ".token"],
			...[".tokens"],
			...[".credentials", ".credentials.*", "oauth_creds.json", ".docker/config.json", "gh/hosts.yml", "glab-cli/config.yml", "hub/config"],
			...[".config/hub", ".config/gcloud", ".codex/auth.json", ".composer/auth.json", "opencode/auth.json", "/auth.json"],
			...[".m2/settings.xml"],
			...[".m2/settings-security.xml", ".gradle/gradle.properties", ".cargo/credentials", ".gem/credentials", ".dbt/profiles.yml"],
			...[".subversion/auth"],
		],
	},
	{
		why: "what is called secret or credential and holds values; source code of that name is code",
		names: [
			...[".secret", ".secrets", ".secrets.*", "*.secret", "*.secrets"],
			...withExtensions(["secret", "secrets", "credential", "credentials", "creds"], DATA),
			...withExtensions(
				["secret.*", "secrets.*", "credential.*", "credentials.*", "*-secrets", "*_secrets", "*.secrets", "*-credentials"],
				DATA,
			),
			...withExtensions(["*_credentials", "*.credentials"], DATA),
			...["service-account*.json", "service_account*.json", "serviceaccount*.json", "*-service-account*.json", "*_service_account*.json"],
			...["*firebase-adminsdk*.json", "client_secret*.json", "client-secret*.json", "gcp-key*.json", "gcloud-key*.json"],
			...["cookies.txt", "cookies.sqlite", "wp-config.php"],
		],
		// Chart templates and sealed or external secrets contain no values.
		unless: [".secrets.baseline", "templates/*.yaml", "templates/*.yml", "external-secret*", "sealed-secret*", ...SAMPLES],
	},
	{
		why: "what infrastructure is made of: states hold every value in clear, variable files most of them",
		names: [
			...["*.tfstate", "*.tfstate.*", "*.tfvars", "*.tfvars.json", "*.pkrvars.hcl", "kubeconfig", "*.kubeconfig", "kubeconfig-*"],
			...withExtensions(["kubeconfig"], ["yml", "yaml", "json", "conf"]),
		],
		unless: ["*.example.tfvars", "*.sample.tfvars", "example.tfvars", "sample.tfvars", ...SOURCE],
	},
	{
		why: "what was typed, with the passwords among it",
		names: [".*_history", ".histfile", ".lesshst", ".viminfo"],
	},
];
