// Limits how long a function is: all of it, and without the functions inside it.
import assert from "node:assert/strict";
import { join, relative, resolve } from "node:path";
import {
	isArrowFunction,
	isConstructorDeclaration,
	isFunctionDeclaration,
	isFunctionExpression,
	isGetAccessorDeclaration,
	isMethodDeclaration,
	isSetAccessorDeclaration,
} from "typescript/unstable/ast/is";
import { createVirtualFileSystem } from "typescript/unstable/fs";
import { API, type APIOptions } from "typescript/unstable/sync";

const MOST_LINES = 200;
const MOST_OWN_LINES = 100;

interface Length {
	/** File and name. A function without a name has that of the one around it. */
	name: string;
	lines: number;
	/** Lines that no longer function inside it takes; one of a single line takes none. */
	own: number;
}

type Program = ReturnType<ReturnType<API["updateSnapshot"]>["getProjects"]>[number]["program"];
type SourceFile = NonNullable<ReturnType<Program["getSourceFile"]>>;
type Node = Parameters<typeof isArrowFunction>[0];

const KINDS = [
	isArrowFunction,
	isConstructorDeclaration,
	isFunctionDeclaration,
	isFunctionExpression,
	isGetAccessorDeclaration,
	isMethodDeclaration,
	isSetAccessorDeclaration,
];

/** Every function and method of the sources, read by the compiler. */
function readLengths(options: APIOptions & { cwd: string }): Length[] {
	const api = new API(options);
	try {
		const [project] = api.updateSnapshot({ openProjects: [join(options.cwd, "tsconfig.json")] }).getProjects();
		if (!project) throw new Error("The compiler found no project.");
		return project.program.getSourceFileNames().flatMap((path) => {
			const file = relative(options.cwd, path).replaceAll("\\", "/");
			const source = /^(?:src|webview-ui)\//.test(file) ? project.program.getSourceFile(path) : undefined;
			return source ? lengthsIn(source, file) : [];
		});
	} finally {
		api.close();
	}
}

function lengthsIn(source: SourceFile, file: string): Length[] {
	const lengths: Length[] = [];
	const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line;
	/** Returns the lines of the longer functions below that node. */
	const visit = (node: Node, around: string): number[] => {
		const isFunction = KINDS.some((is) => is(node)) && (node as { body?: Node }).body !== undefined;
		const name = isFunction ? (nameOf(node, source) ?? around) : around;
		const inner: number[] = [];
		node.forEachChild((child) => {
			inner.push(...visit(child, name));
		});
		if (!isFunction) return inner;
		const first = lineAt(node.getStart(source));
		const lines = lineAt(node.end - 1) - first + 1;
		lengths.push({ name: `${file} ${name}`, lines, own: lines - new Set(inner).size });
		return lines === 1 ? [] : Array.from({ length: lines }, (_, index) => first + index);
	};
	visit(source, "(no name)");
	return lengths;
}

/** The function's own name, or that of the variable, property or field that it is the value of. */
function nameOf(node: Node, source: SourceFile): string | undefined {
	const named = (each: Node) => (each as { name?: Node }).name?.getText(source);
	return isConstructorDeclaration(node) ? "constructor" : (named(node) ?? named(node.parent));
}

const tooLong = (lengths: readonly Length[]) => namesOf(lengths.filter(({ lines }) => lines > MOST_LINES));
const tooLongAlone = (lengths: readonly Length[]) => namesOf(lengths.filter(({ own }) => own > MOST_OWN_LINES));
const namesOf = (lengths: readonly Length[]) => lengths.map(({ name }) => name).sort();

describe("a function", () => {
	let lengths: Length[];
	before(function () {
		this.timeout(60_000);
		lengths = readLengths({ cwd: resolve(".") });
		assert.ok(lengths.length > 5_000, "found no functions to check");
	});

	it("has at most 200 lines with the functions inside it", () => {
		assert.deepEqual(tooLong(lengths), []);
	});

	it("has at most 100 lines of its own", () => {
		assert.deepEqual(tooLongAlone(lengths), []);
	});

	it("is seen to be longer, also as a method or without a name", () => {
		const lines = (count: number) => "\twork();\n".repeat(count);
		const source = [
			`function short() {\n${lines(98)}}`,
			`function wide() {\n${lines(99)}}`,
			`const split = () => {\n${lines(50)}\tconst one = () => 1;\n\tconst inner = () => {\n${lines(60)}\t};\n\treturn [one, inner];\n};`,
			`class Kept {\n\tconstructor() {\n${lines(99)}\t}\n\tmethod(): void {\n${lines(199)}\t}\n}`,
			`call(() => {\n${lines(40)}\tother({\n\t\tgo() {\n${lines(99)}\t\t},\n\t\tstop: () => {\n${lines(57)}\t\t},\n\t});\n});`,
		].join("\n");
		const fs = createVirtualFileSystem({
			"/sample/tsconfig.json": '{ "compilerOptions": { "noLib": true, "types": [] }, "include": ["src"] }',
			"/sample/src/sample.ts": source,
		});
		const sample = readLengths({ cwd: "/sample", fs });
		const found = sample.map(({ name, lines, own }) => `${name.replace("src/sample.ts ", "")} ${lines} ${own}`);
		assert.deepEqual(found, [
			"short 100 100",
			"wide 101 101",
			"one 1 1",
			"inner 62 62",
			"split 116 54",
			"constructor 101 101",
			"method 201 201",
			"go 101 101",
			"stop 59 59",
			"(no name) 204 44",
		]);
		assert.deepEqual(tooLong(sample), ["src/sample.ts (no name)", "src/sample.ts method"]);
		assert.deepEqual(
			tooLongAlone(sample),
			["constructor", "go", "method", "wide"].map((name) => `src/sample.ts ${name}`),
		);
	});
});
