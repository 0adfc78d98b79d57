// Gives Node 20 the `globSync` that the conformance suite imports and its client part never calls.
import fs from "node:fs";
import { register } from "node:module";

if (!("globSync" in fs)) {
	const shim = 'export * from "node:fs"; export { default } from "node:fs"; export const globSync = () => [];';
	const hooks = `export async function resolve(specifier, context, next) {
	if (specifier !== "fs" || !context.parentURL?.includes("/conformance/")) return next(specifier, context);
	return { url: ${JSON.stringify(`data:text/javascript,${encodeURIComponent(shim)}`)}, shortCircuit: true };
}`;
	register(`data:text/javascript,${encodeURIComponent(hooks)}`);
}
