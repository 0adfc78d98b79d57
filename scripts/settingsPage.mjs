// Generates docs/settings.md from the settings in package.json and their English texts.

// `node scripts/settingsPage.mjs` reports a difference; `--write` writes the page.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./install.mjs";

const FILE = "docs/settings.md";

const SCOPES = {
	application: "user settings only",
	machine: "user settings of this machine, or of the remote machine",
	window: "user and workspace settings",
};

const HEAD = `<!-- Generated from package.json. Run \`node scripts/settingsPage.mjs --write\` after a change. -->
# Settings

All settings of Troupe. Open them in VS Code with **Preferences: Open Settings** and search for \`@ext:troupe.troupe\`.

**Where it can be set**: a workspace can set only what says so. In Restricted Mode, no workspace setting counts.
`;

/** Returns the expected page. */
export async function settingsPage() {
	const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
	const texts = JSON.parse(await readFile(join(root, "package.nls.json"), "utf8"));
	const text = (value = "") => value.replace(/^%(.+)%$/, (_, key) => texts[key] ?? "");
	const groups = manifest.contributes.configuration.map(({ title, properties }) => {
		const settings = Object.entries(properties).sort(([, one], [, other]) => one.order - other.order);
		return [`## ${text(title)}`, ...settings.map(([key, setting]) => section(key, setting, text))].join("\n\n");
	});
	return `${[HEAD.trimEnd(), ...groups].join("\n\n")}\n`;
}

function section(key, setting, text) {
	const values = (setting.enum ?? []).map(
		(value, index) => `- \`${value === "" ? '""' : value}\`${setting.enumDescriptions ? `: ${text(setting.enumDescriptions[index])}` : ""}`,
	);
	const fields = Object.entries(setting.properties ?? {})
		.filter(([, { description }]) => description)
		.map(([name, { description }]) => `- \`${name}\`: ${text(description)}`);
	return [
		`### \`${key}\``,
		linked(text(setting.markdownDescription)),
		...[values, fields].filter(({ length }) => length > 0).map((lines) => lines.join("\n")),
		`Default: \`${JSON.stringify(setting.default)}\` · Set in: ${SCOPES[setting.scope ?? "window"]}`,
	].join("\n\n");
}

/** Converts links to settings to page links, and links to commands to the commands' names. */
function linked(text) {
	return text
		.replace(/`#([\w.]+)#`/g, (_, key) => `[\`${key}\`](#${key.toLowerCase().replaceAll(".", "")})`)
		.replace(/\[([^\]]+)\]\(command:[^)]+\)/g, "**Troupe: $1**");
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
	const should = await settingsPage();
	if ((await readFile(join(root, FILE), "utf8").catch(() => "")) !== should) {
		console.log(`${FILE} differs`);
		if (process.argv.includes("--write")) await writeFile(join(root, FILE), should);
		else process.exitCode = 1;
	}
}
