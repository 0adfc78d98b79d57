// The pages for people: their links lead somewhere, and what they name exists.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const pages = [
	...readdirSync(".").filter((name) => name.endsWith(".md")),
	...readdirSync("docs")
		.filter((name) => name.endsWith(".md"))
		.map((name) => join("docs", name)),
];
const text = (page: string): string => readFileSync(page, "utf8");
/** What stands in code is no link and no command. */
const prose = (page: string): string => text(page).replace(/```[\s\S]*?```/g, "");

/** As GitHub makes them of headings. */
function anchors(page: string): string[] {
	return [...prose(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
		heading
			.toLowerCase()
			.replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
			.replaceAll(" ", "-"),
	);
}

function problemOf(page: string, link: string): string | undefined {
	const [path = "", anchor] = link.split("#");
	const target = path === "" ? page : join(dirname(page), path);
	if (!existsSync(target)) return `${page}: ${link} is not there`;
	if (anchor === undefined || anchors(target).includes(anchor)) return undefined;
	return `${page}: ${link} has no such heading`;
}

describe("the pages for people", () => {
	it("link to pages, headings and pictures that exist", () => {
		const problems = pages.flatMap((page) =>
			[...prose(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].flatMap(([, link = ""]) => problemOf(page, link) ?? []),
		);
		assert.deepEqual(problems, []);
	});

	it("of the map and the rules name files and folders that exist", () => {
		const ours = ["src", "webview-ui", "test", "scripts", "docs", "l10n"].flatMap((folder) =>
			readdirSync(folder, { recursive: true, withFileTypes: true }).map(
				(entry) => `/${join(entry.parentPath, entry.name).replaceAll("\\", "/")}${entry.isDirectory() ? "/" : ""}`,
			),
		);
		const exists = (path: string): boolean => existsSync(path) || ours.some((file) => file.endsWith(`/${path}`));
		const named = ["ARCHITECTURE.md", "AGENTS.md", "CONTRIBUTING.md"].flatMap((page) =>
			[...text(page).matchAll(/`([\w./-]+(?:\/|\.(?:tsx?|mjs|json|md|svg|png)))`/g)].map(([, path = ""]) => path),
		);
		assert.ok(named.length > 100);
		assert.deepEqual(
			named.filter((path) => !exists(path)),
			[],
		);
	});

	it("name commands as the palette has them", () => {
		const { contributes } = JSON.parse(readFileSync("package.json", "utf8")) as {
			contributes: { commands: { title: string; category?: string }[] };
		};
		const texts = JSON.parse(readFileSync("package.nls.json", "utf8")) as Record<string, string>;
		const titles = contributes.commands
			.filter(({ category }) => category)
			.map(({ title }) => (texts[title.replaceAll("%", "")] ?? title).replace("…", ""));
		const named = pages.flatMap((page) => [...prose(page).matchAll(/\*\*Troupe: ([^*]+)\*\*/g)].map(([, title]) => `${page}: ${title}`));
		assert.ok(named.length > 20);
		assert.deepEqual(
			named.filter((name) => !titles.includes(name.slice(name.indexOf(": ") + 2))),
			[],
		);
	});

	it("name settings that exist", () => {
		const { contributes } = JSON.parse(readFileSync("package.json", "utf8")) as {
			contributes: { configuration: { properties: object }[] };
		};
		const settings = contributes.configuration.flatMap(({ properties }) => Object.keys(properties));
		const named = pages.flatMap((page) => [...text(page).matchAll(/[`"](troupe\.(?!troupe)\w+)[`"]/g)].map(([, key]) => `${page}: ${key}`));
		assert.ok(named.length > 30);
		assert.deepEqual(
			named.filter((name) => !settings.includes(name.slice(name.indexOf(": ") + 2))),
			[],
		);
	});

	it("use pictures in README.md that a package may show: no SVG", () => {
		const pictures = [...text("README.md").matchAll(/!\[[^\]]+\]\(([^)]+)\)/g)].map(([, path]) => path ?? "");
		assert.ok(pictures.length > 1);
		assert.deepEqual(
			pictures.filter((path) => path.endsWith(".svg")),
			[],
		);
	});
});
