// Packages the extension as a .vsix file.

// `--no-build` packages dist/ as it is; `--out FILE` names the result; `--tag TAG` packages the release for that tag,
// which may be a pre-release.

import { access, readFile, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createVSIX } from "@vscode/vsce";
import { root } from "./install.mjs";
import { releaseOfTag } from "./releaseTag.mjs";

const limit = 4_000_000;
const options = process.argv.slice(2);
const { name, version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const valueAfter = (option) => (options.includes(option) ? options[options.indexOf(option) + 1] : undefined);
const out = resolve(valueAfter("--out") ?? join(root, `${name}-${version}.vsix`));
const tag = valueAfter("--tag");
const { preRelease } = tag === undefined ? { preRelease: false } : releaseOfTag(tag, version);

// Packaging builds through `vscode:prepublish`.
if (options.includes("--no-build")) {
	await access(join(root, "THIRD_PARTY_NOTICES.md"));
	process.env["TROUPE_PREBUILT"] = "1";
}
await createVSIX({ cwd: root, packagePath: out, dependencies: false, preRelease });
const { size } = await stat(out);
console.log(`${out} · ${Math.round(size / 1_000)} kB`);
if (size > limit) {
	console.error(
		`The package is over ${limit / 1_000} kB. \`npx vsce ls --no-dependencies\` lists what is in it; .vscodeignore keeps things out.`,
	);
	process.exitCode = 1;
}
