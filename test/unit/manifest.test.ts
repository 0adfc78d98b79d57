// Tests package.json's contributions against themselves, their translations and the sources.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { dotted, hostileSettings } from "../fixtures/hostileSettings.ts";

interface Setting {
	scope?: string;
	order?: number;
	markdownDescription: string;
}

interface Manifest {
	icon: string;
	contributes: {
		configuration: { title: string; order: number; properties: Record<string, Setting> }[];
		commands: { command: string }[];
		keybindings: { key: string; mac: string; when?: string }[];
		menus: Record<string, { command?: string; when?: string }[]>;
		walkthroughs: { steps: { media: { image: Record<"dark" | "light" | "hc" | "hcLight", string> } }[] }[];
	};
	capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
}

const read = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;
const manifest = read<Manifest>("package.json");
const texts = ["package.nls.json", "package.nls.de.json", "package.nls.zh-cn.json"].map((name) => read<Record<string, string>>(name));
const groups = manifest.contributes.configuration;
const settings = Object.assign({}, ...groups.map(({ properties }) => properties)) as Record<string, Setting>;

function ofScope(scope: string | undefined): string[] {
	return Object.keys(settings)
		.filter((key) => settings[key]?.scope === scope)
		.map((key) => key.slice("troupe.".length))
		.sort();
}

function sources(folder: string): string[] {
	return readdirSync(folder, { withFileTypes: true, recursive: true })
		.filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
		.map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
}

/** Second strokes after Ctrl+K (macOS: Cmd+K) and single strokes with Ctrl+Alt that VS Code 1.139 has on Windows, Linux or macOS. */
const TAKEN = {
	"ctrl+k":
		"c d e f i m n o p r s t u v w y z enter shift+enter shift+n shift+o up down left right ctrl+b ctrl+c ctrl+d ctrl+e ctrl+f ctrl+h ctrl+i ctrl+j ctrl+k ctrl+l ctrl+m ctrl+o ctrl+p ctrl+q ctrl+r ctrl+s ctrl+t ctrl+u ctrl+w ctrl+x ctrl+0 ctrl+8 ctrl+9",
	"ctrl+alt": "- . 0 b c f g i k l o p r s t v w y [ ] up down left right enter space tab backspace",
};

describe("the keys in package.json", () => {
	it("are none of VS Code's own", () => {
		const chords = TAKEN["ctrl+k"].split(" ");
		const single = TAKEN["ctrl+alt"].split(" ").map((key) => `ctrl+alt+${key}`);
		const ours = manifest.contributes.keybindings.filter(({ when }) => !when || when.startsWith("focusedView"));
		assert.ok(ours.length >= 6);
		for (const { key, mac } of ours) {
			assert.equal(mac, key.replace("ctrl", "cmd"));
			const [first, second] = key.split(" ");
			assert.ok(
				second === undefined ? /^ctrl\+alt\+/.test(key) && !single.includes(key) : first === "ctrl+k" && !chords.includes(second),
				key,
			);
		}
	});

	it("are in docs/keys.md", () => {
		const page = readFileSync("docs/keys.md", "utf8").toLowerCase();
		for (const { key } of manifest.contributes.keybindings) {
			assert.ok(
				page.includes(
					key
						.split(" ")
						.map((stroke) => `<kbd>${stroke}</kbd>`)
						.join(" "),
				),
				key,
			);
		}
	});
});

describe("the settings in package.json", () => {
	it("stand in ordered groups with a title in every language", () => {
		assert.deepEqual(
			groups.map(({ order }) => order),
			groups.map((_, index) => index + 1),
		);
		for (const { title, properties } of groups) {
			assert.ok(texts.every((words) => words[title.replaceAll("%", "")]));
			assert.deepEqual(
				Object.values(properties).map(({ order }) => order),
				Object.keys(properties).map((_, index) => index + 1),
			);
		}
	});

	it("can be set by a workspace only where that is harmless", () => {
		assert.deepEqual(ofScope(undefined), ["contextMode", "maxSteps", "model", "plugins"]);
		assert.deepEqual(ofScope("application"), ["agents", "approval", "defaultRole", "permissions", "roleModels", "roles"]);
		const all = Object.keys(settings).sort();
		assert.deepEqual(
			all.filter((key) => !["application", "machine", undefined].includes(settings[key]?.scope)),
			[],
		);
	});

	it("are all restricted before trust, and all set by the hostile workspace", () => {
		const all = Object.keys(settings).sort();
		assert.deepEqual(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.toSorted(), all);
		const hostile = Object.keys(dotted(hostileSettings("http://127.0.0.1/v1", "/nowhere")));
		assert.deepEqual(hostile.sort(), all, "test/fixtures/hostileSettings.ts has each of them");
	});

	it("link only to settings that there are", () => {
		for (const words of texts) {
			const linked = Object.values(words).flatMap((text) => [...text.matchAll(/`#(.+?)#`/g)].map(([, key]) => key ?? ""));
			assert.ok(linked.length > 5);
			assert.deepEqual(
				linked.filter((key) => !(key in settings)),
				[],
			);
		}
	});

	it("are what docs/settings.md says: run `node scripts/settingsPage.mjs --write`", async () => {
		const { stdout } = await promisify(execFile)(process.execPath, ["scripts/settingsPage.mjs"]).catch(
			(error: { stdout: string }) => error,
		);
		assert.equal(stdout, "");
	});
});

describe("the commands in package.json", () => {
	it("appear under conditions that the extension sets", () => {
		const conditions = Object.values(manifest.contributes.menus).flatMap((items) => items.flatMap(({ when }) => when ?? []));
		const ours = [...new Set(conditions.flatMap((when) => [...when.matchAll(/(?<![=\w] )\btroupe\.\w+/g)].map(([key]) => key)))];
		assert.ok(ours.includes("troupe.turnRuns"));
		const text = sources("src").join("\n");
		assert.deepEqual(
			ours.filter((key) => !text.includes(`"${key}"`)),
			[],
		);
	});

	it("are in the palette once at most", () => {
		const named = (manifest.contributes.menus["commandPalette"] ?? []).map(({ command }) => command);
		assert.deepEqual(named, [...new Set(named)]);
		const known = manifest.contributes.commands.map(({ command }) => command);
		assert.deepEqual(
			named.filter((command) => command === undefined || !known.includes(command)),
			[],
		);
	});
});

describe("the walkthrough", () => {
	it("has a picture of each step in every theme: run `npm run e2e -- demo --readme`", () => {
		const pictures = manifest.contributes.walkthroughs.flatMap(({ steps }) => steps.flatMap(({ media }) => Object.values(media.image)));
		assert.equal(pictures.length, 24);
		for (const picture of pictures) assert.equal(readFileSync(picture).toString("latin1", 8, 12), "WEBP", picture);
	});

	it("has texts without code in them: VS Code shows its backticks", () => {
		for (const words of texts) {
			const steps = Object.keys(words).filter((key) => key.startsWith("walkthrough."));
			assert.ok(steps.length > 10);
			assert.deepEqual(
				steps.filter((key) => words[key]?.includes("`")),
				[],
			);
		}
	});
});

describe("the icon", () => {
	it("is a square picture of 128 pixels or more", () => {
		const bytes = readFileSync(manifest.icon);
		const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
		assert.equal(width, height);
		assert.ok(width >= 128);
	});

	it("is one drawing in the activity bar and on tabs: run `node scripts/pictures.mjs`", () => {
		const drawing = /<path.*(?=<\/svg>)/s.exec(readFileSync("media/troupe.svg", "utf8"))?.[0] ?? assert.fail("no drawing");
		for (const name of ["tab-dark.svg", "tab-light.svg"]) assert.ok(readFileSync(join("media", name), "utf8").includes(drawing), name);
	});
});
