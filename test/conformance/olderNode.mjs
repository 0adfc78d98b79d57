// The suite asks Node's fs for globSync, which Node 20 has not and the client suite does not use.
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
