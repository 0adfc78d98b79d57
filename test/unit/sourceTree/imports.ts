// Reads the sources' imports through the compiler, and finds rings among files and among their folders.
import { join, posix, relative, resolve } from "node:path";
import { API } from "typescript/unstable/sync";

export interface Import {
	/** A file from the root of the repository, or a package. */
	to: string;
	typeOnly: boolean;
}

export type Imports = ReadonlyMap<string, readonly Import[]>;

/** Every import of our sources, types and late ones included. */
export function readImports(): Map<string, Import[]> {
	const root = resolve(".");
	const api = new API({ cwd: root });
	try {
		const [project] = api.updateSnapshot({ openProjects: [join(root, "tsconfig.json")] }).getProjects();
		if (!project) throw new Error("The compiler found no project.");
		const imports = new Map<string, Import[]>();
		for (const path of project.program.getSourceFileNames()) {
			const file = relative(root, path).replaceAll("\\", "/");
			if (!/^(?:src|webview-ui)\//.test(file)) continue;
			const source = project.program.getSourceFile(path);
			const found = (source?.imports ?? []).map((node): Import => {
				const { text } = node as unknown as { text: string };
				const to = text.startsWith(".") ? posix.join(posix.dirname(file), text) : text;
				const statement = node.parent.getText();
				return { to, typeOnly: /^(?:import|export) type\b/.test(statement) };
			});
			imports.set(file, found);
		}
		return imports;
	} finally {
		api.close();
	}
}

/** All that a file imports, and what that imports in turn. */
export function reachOf(file: string, imports: Imports): Set<string> {
	const reached = new Set([file]);
	for (const each of reached) for (const { to } of imports.get(each) ?? []) reached.add(to);
	return reached;
}

/** Groups of files that import each other. */
export function fileRings(imports: Imports): string[][] {
	const graph = new Map<string, Set<string>>();
	for (const [file, all] of imports) graph.set(file, new Set(all.flatMap(({ to }) => (imports.has(to) ? to : []))));
	return ringsIn(graph);
}

/** Groups of folders and loose files beside each other that import each other. */
export function siblingRings(imports: Imports): string[][] {
	const graph = new Map<string, Set<string>>();
	for (const [file, all] of imports)
		for (const { to } of all) {
			if (to === file || !imports.has(to)) continue;
			const [from, target] = siblings(file, to);
			graph.set(from, (graph.get(from) ?? new Set()).add(target));
		}
	return ringsIn(graph);
}

/** The folders, or the files themselves, in which two files lie below the innermost folder that has both. */
function siblings(one: string, other: string): [string, string] {
	const [path, otherPath] = [one.split("/"), other.split("/")];
	const length = path.findIndex((name, index) => name !== otherPath[index]) + 1;
	return [path.slice(0, length).join("/"), otherPath.slice(0, length).join("/")];
}

/** Groups of nodes that reach each other, by Tarjan's algorithm. */
function ringsIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
	const [order, lowest, stack, rings] = [new Map<string, number>(), new Map<string, number>(), [] as string[], [] as string[][]];
	const visit = (node: string): void => {
		order.set(node, order.size);
		lowest.set(node, order.get(node) as number);
		stack.push(node);
		for (const to of graph.get(node) ?? []) {
			if (!order.has(to)) visit(to);
			if (stack.includes(to)) lowest.set(node, Math.min(lowest.get(node) as number, lowest.get(to) as number));
		}
		if (lowest.get(node) !== order.get(node)) return;
		const ring = stack.splice(stack.indexOf(node));
		if (ring.length > 1) rings.push(ring.sort());
	};
	for (const node of graph.keys()) if (!order.has(node)) visit(node);
	return rings;
}
