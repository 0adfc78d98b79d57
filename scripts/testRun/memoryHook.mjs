// Lets the tests of some rooms keep their temporary files in memory: a root hook for mocha.

/**
 * Rooms whose tests build the whole app on a folder, wherever that is. Not those about programs, the sandbox and the gate, which
 * treat folders below /dev in their own way; nor the one that asks for the sandbox.
 */
const ROOMS = /\/unit\/(?:artifacts|channels|chat|delegation|integrations|memory|sessions?|vscode)\/(?!gateRequests\.)/;

const onDisk = process.env["TMPDIR"];

export const mochaHooks = {
	/** Side by side, mocha runs each file by itself. */
	beforeAll() {
		const files = this.test.parent.suites.map(({ file }) => file ?? "");
		const inMemory = files.length > 0 && files.every((file) => ROOMS.test(file.replaceAll("\\", "/")));
		const folder = inMemory ? process.env["TEST_MEMORY"] : onDisk;
		if (folder === undefined) delete process.env["TMPDIR"];
		else process.env["TMPDIR"] = folder;
	},
};
