// Client program for the MCP conformance suite: our MCP client with automatic user answers.
import { openTestMcp } from "../fakes/testMcp.ts";

const url = process.argv.at(-1) as string;
const scenario = process.env["MCP_CONFORMANCE_SCENARIO"] ?? "";

const given = JSON.parse(process.env["MCP_CONFORMANCE_CONTEXT"] ?? "{}") as { client_id?: string; client_secret?: string };
/** What the person has written into the settings, by scenario. */
const signIn =
	scenario === "auth/basic-cimd"
		? { clientId: "https://conformance-test.local/client-metadata.json" }
		: given.client_id && { clientId: given.client_id, clientSecret: given.client_secret ?? "" };

const setup = openTestMcp({
	servers: [{ id: "suite", name: "Suite", source: "settings", url, ...(signIn && { signIn }) }],
	// The person leaves every field as it is.
	answer: async () => ({}),
	openUrl: (address) => {
		// The person signs in at once: the page leads straight back.
		void fetch(address);
		return true;
	},
});

const { said, tools } = await setup.tools(["suite"]);
for (const sentence of said) console.error(sentence);
for (const line of setup.room.output("suite")) console.error(line);
for (const tool of tools.filter((one) => !/__(list|read)_resources?$/.test(one.name))) {
	const required = (tool.parameters?.["required"] ?? []) as string[];
	const properties = (tool.parameters?.["properties"] ?? {}) as Record<string, { type?: string }>;
	const input = Object.fromEntries(required.map((name) => [name, properties[name]?.type === "number" ? 2 : "text"]));
	// Once more, as a person does: what it needs may have been granted since.
	for (let call = 0; call < (scenario.startsWith("auth/scope") ? 2 : 1); call += 1) {
		await setup.call(tool, input).then(
			({ output }) => console.log(output),
			(error: Error) => console.error(error.message),
		);
	}
}
await setup.room.release("one");
await setup.room.dispose();
process.exit(0);
