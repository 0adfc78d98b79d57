// What VS Code calls to run the tests in its extension host: mocha over the test files that lie beside this one.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import Mocha from "mocha";

export function run(): Promise<void> {
	const mocha = new Mocha({ ui: "bdd", color: false, reporter: "spec", timeout: 60_000 });
	for (const name of readdirSync(__dirname)) if (name.endsWith(".test.js")) mocha.addFile(join(__dirname, name));
	return new Promise((resolve, reject) => {
		mocha.run((failures) => (failures === 0 ? resolve() : reject(new Error(`${failures} failed`))));
	});
}
