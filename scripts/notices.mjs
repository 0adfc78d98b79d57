// Generates THIRD_PARTY_NOTICES.md from the licenses of the bundled packages.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** Copied next to the bundle, so missing in its metafile. */
const COPIED = ["node_modules/web-tree-sitter", "node_modules/tree-sitter-bash"];

/** Rejects if a package's license is unknown. `metafiles`: esbuild's, for all bundles built in `root`. */
export async function thirdPartyNotices(metafiles, root) {
	const folders = new Set([...COPIED, ...metafiles.flatMap(bundledPackages)]);
	const packages = await Promise.all([...folders].map((folder) => readPackage(join(root, folder))));
	packages.sort((one, other) => (one.name < other.name ? -1 : 1));
	/** Packages by license text, which several may share. */
	const byText = new Map();
	for (const { name, text } of packages) byText.set(text, (byText.get(text) ?? new Set()).add(name));
	const sections = [...byText].map(([text, names]) => `## ${[...names].join(", ")}\n\n\`\`\`\`text\n${text}\n\`\`\`\``);
	return ["# Third-party notices", "Troupe contains the packages below, under the licenses that stand with them.", ...sections, ""].join(
		"\n\n",
	);
}

/** Returns the folders of packages that contribute to the output. */
function bundledPackages({ outputs }) {
	const used = Object.values(outputs).flatMap(({ inputs }) => Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0));
	return used.flatMap(([path]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
}

async function readPackage(folder) {
	const { name, version, license, author } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
	const files = (await readdir(folder)).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file)).sort();
	const texts = await Promise.all(files.map((file) => readFile(join(folder, file), "utf8")));
	if (texts.length === 0 && license !== "MIT")
		throw new Error(`${name} ${version} has no license text; look for one before it is bundled.`);
	if (texts.length === 0) texts.push(mit(typeof author === "string" ? author : (author?.name ?? `the authors of ${name}`)));
	return { name: `${name} ${version}`, text: texts.map((text) => text.replaceAll("\r\n", "\n").trim()).join("\n\n") };
}

/** For packages that name this license without including its text. */
const mit = (author) => `The MIT License (MIT)

Copyright (c) ${author}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
