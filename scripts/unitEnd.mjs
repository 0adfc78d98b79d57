// Fails a mocha run that open resources keep alive after the last test, and names the resources.

/** Milliseconds. */
const TIMEOUT = 10_000;

export const mochaHooks = {
	afterAll() {
		const end = () => {
			console.error(`Something is open long after the last test: ${process.getActiveResourcesInfo().join(", ")}.`);
			// Runs after mocha's own listener, which reports the number of failures.
			process.once("exit", () => {
				process.exitCode ||= 1;
			});
			process.exit();
		};
		setTimeout(end, TIMEOUT).unref();
	},
};
