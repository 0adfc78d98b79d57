// Where programs keep keys, passwords and cookies in a home folder: a table, by what it belongs to.

/** Paths below the home folder; a folder stands for everything in it. */
export const credentialPaths: readonly string[] = [
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
	// What was typed.
	...[".bash_history", ".zsh_history", ".histfile", ".local/share/fish/fish_history", ".python_history", ".node_repl_history"],
	...[".psql_history", ".mysql_history", ".sqlite_history", ".rediscli_history", ".lesshst", ".viminfo"],
	// macOS.
	...["Library/Keychains", "Library/Cookies", "Library/Safari", "Library/Mail", "Library/Messages", "Library/Accounts"],
	...["Library/Application Support/Google/Chrome", "Library/Application Support/Chromium", "Library/Application Support/Firefox"],
	...["Library/Application Support/BraveSoftware", "Library/Application Support/Microsoft Edge", "Library/Application Support/Slack"],
	...["Library/Application Support/1Password", "Library/Group Containers/2BUA8C4S2C.com.1password", "Library/Containers/com.apple.Safari"],
];
