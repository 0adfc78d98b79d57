// Opens VS Code with an agent that starts background tasks, whose models answer from scripts.
import type { AskedRequest, ScriptedAnswer } from "../fakes/modelServer/script.ts";
import { type ModelServer, startModelServer } from "../fakes/modelServer/server.ts";
import { removeMachineSettings, writeMachineSettings } from "./machineSettings.ts";
import { gated, type ScriptedTask, TaskModel } from "./taskModel.ts";
import { openWindow, type TestWindow } from "./testWindow.ts";

/** For the tests of a `describe`; closes the server after each. */
export function useTaskWindows() {
	let server: ModelServer | undefined;
	let gates: ReturnType<typeof gated>[] = [];

	afterEach(async () => {
		for (const { gate } of gates) gate.open();
		gates = [];
		await server?.close();
		server = undefined;
		await removeMachineSettings();
	});

	async function openWith(script: (request: AskedRequest) => ScriptedAnswer): Promise<TestWindow> {
		server = await startModelServer({ models: ["fake"], script });
		await writeMachineSettings({ "troupe.providers": { fake: { type: "openai-compatible", baseUrl: server.url } } });
		const settings = { "troupe.model": "fake/fake", "troupe.defaultRole": "commander", "troupe.approval": "edits" };
		const testWindow = await openWindow({ settings, width: 1280, height: 1000 });
		await testWindow.workbench.sideBar.open("Troupe");
		await testWindow.chat.ready();
		return testWindow;
	}

	return {
		/** As `gated`; what is still closed at the test's end is opened then. */
		closed(...parameters: Parameters<typeof gated>): ReturnType<typeof gated> {
			const made = gated(...parameters);
			gates.push(made);
			return made;
		},
		/** What the models were asked. */
		requests: (): readonly AskedRequest[] => server?.requests ?? [],
		openWith,
		open: (tasks: readonly ScriptedTask[]) => openWith(new TaskModel(tasks).answer),
	};
}
