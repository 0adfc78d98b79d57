// Tests the limits of calls between agents and of tasks: what applies where they are missing or invalid.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { parseDelegation, parseTasks } from "../../../src/settings/limits.ts";

interface Field {
	default: unknown;
	minimum: number;
	maximum?: number;
	enum?: string[];
}

interface Manifest {
	contributes: { configuration: { properties: Record<string, { default: unknown; properties?: Record<string, Field> }> }[] };
}

const defaults = { maxDepth: 1, timeout: 300, maxConcurrent: 4, maxTokens: 1_000_000 };
const strictest = { maxDepth: 0, timeout: 300, maxConcurrent: 1, maxTokens: 1_000_000 };

function declared(key: string): { default: unknown; properties?: Record<string, Field> } {
	const { contributes } = JSON.parse(readFileSync("package.json", "utf8")) as Manifest;
	const found = contributes.configuration.flatMap(({ properties }) => properties[key] ?? []);
	assert.equal(found.length, 1);
	return found[0] ?? { default: undefined };
}

describe("the limits of calls between agents", () => {
	it("take the defaults of package.json where they are not set, each by itself", () => {
		assert.deepEqual(parseDelegation(undefined), { limits: defaults, problems: [] });
		assert.deepEqual(parseDelegation({ maxDepth: 3 }), { limits: { ...defaults, maxDepth: 3 }, problems: [] });
		const { default: whole, properties = {} } = declared("troupe.delegation");
		assert.deepEqual(whole, defaults);
		assert.deepEqual(Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, field.default])), defaults);
	});

	it("accept what package.json accepts, and nothing beyond its bounds", () => {
		for (const [name, { minimum, maximum }] of Object.entries(declared("troupe.delegation").properties ?? {})) {
			for (const value of [minimum, maximum ?? 1_000_000_000]) {
				assert.deepEqual(parseDelegation({ [name]: value }), { limits: { ...defaults, [name]: value }, problems: [] });
			}
			for (const value of [minimum - 1, ...(maximum === undefined ? [] : [maximum + 1])]) {
				assert.equal(parseDelegation({ [name]: value }).problems.length, 1, `${name}: ${value}`);
			}
		}
	});

	it("take the strictest value where one is invalid, say so, and keep the others", () => {
		const others = { maxDepth: 2, timeout: 60, maxConcurrent: 8, maxTokens: 5_000 };
		for (const name of ["maxDepth", "timeout", "maxConcurrent", "maxTokens"] as const) {
			for (const value of ["4", 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, null, true, [2], {}]) {
				const { limits, problems } = parseDelegation({ ...others, [name]: value });
				assert.deepEqual(limits, { ...others, [name]: strictest[name] });
				assert.equal(problems.length, 1);
				assert.match(problems[0] ?? "", new RegExp(`troupe\\.delegation\\.${name} must be a whole number`));
			}
		}
		assert.deepEqual(parseDelegation({ maxConcurrent: 33, maxTokens: 999 }).problems, [
			"The setting troupe.delegation.maxConcurrent must be a whole number from 1 to 32. Until you fix it, 1 applies.",
			"The setting troupe.delegation.maxTokens must be a whole number of at least 1,000. Until you fix it, 1,000,000 applies.",
		]);
	});

	it("are the strictest where the setting is no object", () => {
		for (const raw of [null, 4, "off", false, [defaults]]) {
			const { limits, problems } = parseDelegation(raw);
			assert.deepEqual(limits, strictest);
			assert.deepEqual(problems, ["The setting troupe.delegation must be an object. The strictest limits apply until you fix it."]);
		}
	});

	it("name fields that nobody knows", () => {
		const { limits, problems } = parseDelegation({ maxdepth: 0 });
		assert.deepEqual(limits, defaults);
		assert.deepEqual(problems, [
			"The field “maxdepth” of the setting troupe.delegation is unknown and ignored. Known fields: maxDepth, timeout, maxConcurrent, maxTokens.",
		]);
	});
});

describe("the limits of tasks", () => {
	const usual = {
		maxConcurrent: 3,
		maxSteps: 60,
		maxTokens: 400_000,
		maxMinutes: 60,
		isolation: "auto",
		copyIgnored: ["**/node_modules", "**/.venv"],
	};
	const strict = { maxConcurrent: 1, maxSteps: 60, maxTokens: 400_000, maxMinutes: 60, isolation: "always", copyIgnored: [] };

	it("take the defaults of package.json where they are not set, each by itself", () => {
		assert.deepEqual(parseTasks(undefined), { limits: usual, problems: [] });
		assert.deepEqual(parseTasks({ isolation: "never" }), { limits: { ...usual, isolation: "never" }, problems: [] });
		const { default: whole, properties = {} } = declared("troupe.tasks");
		assert.deepEqual(whole, usual);
		assert.deepEqual(Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, field.default])), usual);
	});

	it("accept what package.json accepts, and nothing beyond its bounds", () => {
		const fields = Object.entries(declared("troupe.tasks").properties ?? {});
		const numbers = fields.filter(([, { minimum }]) => minimum !== undefined);
		assert.equal(numbers.length, 4);
		for (const [name, { minimum, maximum }] of numbers) {
			for (const value of [minimum, maximum ?? 1_000_000_000]) assert.deepEqual(parseTasks({ [name]: value }).problems, []);
			for (const value of [minimum - 1, ...(maximum === undefined ? [] : [maximum + 1])]) {
				assert.equal(parseTasks({ [name]: value }).problems.length, 1, `${name}: ${value}`);
			}
		}
		const isolations = fields.flatMap(([, field]) => field.enum ?? []);
		assert.equal(isolations.length, 3);
		for (const isolation of isolations) assert.deepEqual(parseTasks({ isolation }).problems, []);
		assert.deepEqual(parseTasks({ copyIgnored: [] }), { limits: { ...usual, copyIgnored: [] }, problems: [] });
	});

	it("take the strictest value where one is invalid, say so, and keep the others", () => {
		for (const isolation of ["Auto", "off", true, null, ["auto"]]) {
			const { limits, problems } = parseTasks({ maxSteps: 5, isolation });
			assert.deepEqual(limits, { ...usual, maxSteps: 5, isolation: "always" });
			assert.deepEqual(problems, [
				"The setting troupe.tasks.isolation must be one of auto, always, never. Until you fix it, always applies.",
			]);
		}
		for (const copyIgnored of ["**", [""], [1], null, Array.from({ length: 65 }, () => "a")]) {
			const { limits, problems } = parseTasks({ copyIgnored });
			assert.deepEqual(limits, { ...usual, copyIgnored: [] });
			assert.deepEqual(problems, [
				"The setting troupe.tasks.copyIgnored must be a list of 64 patterns or fewer. Until you fix it, an empty list applies.",
			]);
		}
		assert.deepEqual(parseTasks({ maxConcurrent: 0, steps: 1 }).problems, [
			"The setting troupe.tasks.maxConcurrent must be a whole number from 1 to 32. Until you fix it, 1 applies.",
			"The field “steps” of the setting troupe.tasks is unknown and ignored. Known fields: maxConcurrent, maxSteps, maxTokens, maxMinutes, isolation, copyIgnored.",
		]);
		assert.deepEqual(parseTasks(["auto"]).limits, strict);
	});
});
