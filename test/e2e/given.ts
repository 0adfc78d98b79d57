// Reads what the script that starts these tests hands to them.
export function given(name: string): string {
	const value = process.env[name];
	if (value === undefined) throw new Error(`${name} is not set: run these tests with \`npm run e2e\``);
	return value;
}
