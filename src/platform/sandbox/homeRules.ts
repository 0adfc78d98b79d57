// Sandbox rules that hide credentials in the user's home folder, and other users' home folders.
import { accessSync, constants, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin, type PathRule } from "./policy.ts";
import { pathKind, resolveRealPathSync } from "./protectedPlaces.ts";

/** Rules for existing credential paths. Files appear empty, which programs treat as not written yet. */
export function listCredentialRules(home: string): PathRule[] {
	return credentialPaths.flatMap((name): PathRule[] => {
		const path = resolveRealPathSync(join(home, name));
		if (path === undefined || isWithin(home, path)) return [];
		const kind = pathKind(path);
		return kind ? [{ path, access: kind === "folder" ? "hidden" : "blank", kind }] : [];
	});
}

/** The system's own secrets, if the user is root. */
export function listSystemCredentialRules(): PathRule[] {
	if (process.getuid?.() !== 0) return [];
	return SYSTEM.flatMap((name): PathRule[] => {
		const [path, kind] = [resolveRealPathSync(name), pathKind(name)];
		return path !== undefined && kind ? [{ path, access: "hidden", kind }] : [];
	});
}

const SYSTEM = [
	"/etc/shadow",
	"/etc/gshadow",
	"/etc/ssl/private",
	"/etc/wireguard",
	"/etc/krb5.keytab",
	"/etc/kubernetes",
	"/var/lib/kubelet",
];

/** Hides other users' home folders, or their parent folder if possible. `folders` are the workspace's. */
export function listOtherHomeRules(home: string, folders: readonly string[]): PathRule[] {
	const found = new Set<string>();
	for (const parent of PARENTS) for (const name of namesIn(parent)) found.add(join(parent, name));
	for (const folder of [...accounts(), "/root"]) found.add(folder);
	const hidden = new Set<string>();
	for (const one of found) {
		const folder = resolveRealPathSync(one);
		if (folder === undefined || isWithin(home, folder) || folders.includes(folder) || !canEnter(folder)) continue;
		const parent = dirname(folder);
		hidden.add(PARENTS.includes(parent) && !folders.some((path) => isWithin(parent, path)) ? parent : folder);
	}
	return [...hidden].slice(0, MOST).map((path) => ({ path, access: "hidden", kind: "folder" }));
}

/** Returns true if a folder's location makes it a home folder. */
export function isHomeFolder(folder: string): boolean {
	return PARENTS.includes(dirname(folder)) || folder === "/root";
}

/** Folders that contain only home folders. */
const PARENTS = ["/home", "/Users", "/var/home"];
const MOST = 40;
/** The first user id of regular accounts. */
const FIRST_PERSON = 1_000;
const NOBODY = 65_534;

function accounts(): string[] {
	try {
		return readFileSync("/etc/passwd", "utf8")
			.split("\n")
			.map((line) => line.split(":"))
			.filter(([, , id]) => Number(id) >= FIRST_PERSON && Number(id) !== NOBODY)
			.flatMap(([, , , , , folder]) => (folder?.startsWith("/") && dirname(folder) !== "/" ? [folder] : []));
	} catch {
		return [];
	}
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

/** A folder that can't be entered needs no rule, because nothing in it can be read. */
function canEnter(folder: string): boolean {
	try {
		accessSync(folder, constants.X_OK);
		return pathKind(folder) === "folder";
	} catch {
		return false;
	}
}

/** Paths relative to the home folder; a folder includes everything in it. */
const credentialPaths: readonly string[] = [
	// Keys and passwords.
	...[".ssh", ".gnupg", ".password-store", ".local/share/keyrings", ".local/share/kwalletd", ".pki", ".config/sops", ".config/age"],
	...[
		".1password",
		".config/op",
		".op",
		".config/1Password",
		".config/Bitwarden",
		".config/Bitwarden CLI",
		".config/keepassxc",
		".lastpass",
	],
	...[".netrc", "_netrc", ".authinfo", ".authinfo.gpg", ".pgpass", ".my.cnf", ".mylogin.cnf", ".vault-token", ".htpasswd"],
	// Clouds and clusters.
	...[".aws", ".azure", ".kube", ".config/gcloud", ".oci", ".aliyun", ".bluemix", ".config/doctl", ".config/hcloud", ".config/scw", ".fly"],
	...[
		".config/helm/registry",
		".config/rclone",
		".s3cfg",
		".boto",
		".config/containers/auth.json",
		".docker/config.json",
		".docker/contexts",
	],
	...[
		".terraformrc",
		".terraform.d/credentials.tfrc.json",
		".config/openstack",
		".databrickscfg",
		".snowflake",
		".snowsql",
		".config/heroku",
	],
	...[
		".config/netlify",
		".vercel",
		".local/share/com.vercel.cli",
		".config/wrangler",
		".wrangler",
		".config/stripe",
		".config/ngrok",
		".ngrok2",
	],
	// Code forges and package registries.
	...[
		".git-credentials",
		".config/git/credentials",
		".config/gh",
		".config/glab-cli",
		".config/hub",
		".config/tea",
		".config/github-copilot",
	],
	...[".npmrc", ".yarnrc", ".yarnrc.yml", ".config/configstore", ".pypirc", ".config/pypoetry/auth.toml", ".cargo/credentials"],
	...[".cargo/credentials.toml", ".m2/settings.xml", ".m2/settings-security.xml", ".gradle/gradle.properties", ".gem/credentials"],
	...[".local/share/gem/credentials", ".bundle/config", ".composer/auth.json", ".config/composer/auth.json", ".nuget/NuGet/NuGet.Config"],
	// Models and agents.
	...[".huggingface/token", ".cache/huggingface/token", ".kaggle", ".config/anthropic", ".claude/.credentials.json", ".claude.json"],
	...[".codex/auth.json", ".gemini/oauth_creds.json", ".local/share/opencode/auth.json", ".config/openai"],
	// Browsers and mail.
	...[".mozilla", ".thunderbird", ".config/google-chrome", ".config/google-chrome-beta", ".config/chromium", ".config/BraveSoftware"],
	...[".config/microsoft-edge", ".config/vivaldi", ".config/opera", ".config/evolution", ".local/share/evolution", "snap/firefox"],
	...[
		"snap/chromium",
		"snap/thunderbird",
		".var/app",
		".config/Slack",
		".config/discord",
		".config/Signal",
		".local/share/TelegramDesktop",
	],
	// Histories of typed input.
	...[".bash_history", ".zsh_history", ".histfile", ".local/share/fish/fish_history", ".python_history", ".node_repl_history"],
	...[".psql_history", ".mysql_history", ".sqlite_history", ".rediscli_history", ".lesshst", ".viminfo"],
	// macOS.
	...["Library/Keychains", "Library/Cookies", "Library/Safari", "Library/Mail", "Library/Messages", "Library/Accounts"],
	...["Library/Application Support/Google/Chrome", "Library/Application Support/Chromium", "Library/Application Support/Firefox"],
	...["Library/Application Support/BraveSoftware", "Library/Application Support/Microsoft Edge", "Library/Application Support/Slack"],
	...["Library/Application Support/1Password", "Library/Group Containers/2BUA8C4S2C.com.1password", "Library/Containers/com.apple.Safari"],
];
