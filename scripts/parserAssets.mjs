// Copies the command parser's WebAssembly next to the bundle or the bundled tests.
import { copyFile, mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const modules = join(dirname(fileURLToPath(import.meta.url)), "..", "node_modules");
const assets = { "web-tree-sitter.wasm": "web-tree-sitter", "tree-sitter-bash.wasm": "tree-sitter-bash" };

export async function copyParser(folder) {
	await mkdir(folder, { recursive: true });
	await Promise.all(Object.entries(assets).map(([name, module]) => replace(join(folder, name), join(modules, module, name))));
}

/** Replaces atomically, since other suites may be reading the file. */
async function replace(file, source) {
	const copy = `${file}.${process.pid}`;
	await copyFile(source, copy);
	await rename(copy, file);
}
