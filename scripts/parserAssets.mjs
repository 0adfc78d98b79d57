// Copies the command parser (WebAssembly) to where the gate looks for it: beside the bundle, or beside bundled tests.
import { cp, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const modules = join(dirname(fileURLToPath(import.meta.url)), "..", "node_modules");
const assets = { "web-tree-sitter.wasm": "web-tree-sitter", "tree-sitter-bash.wasm": "tree-sitter-bash" };

export async function copyParser(folder) {
	await mkdir(folder, { recursive: true });
	await Promise.all(Object.entries(assets).map(([name, module]) => cp(join(modules, module, name), join(folder, name))));
}
