// Adds to the fixture what everyday lines are about: programs in node_modules/.bin, and with `more` the files they name.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Fixture } from "./fixture.ts";

/** What the note of everyday.json says there is. */
const PROGRAMS = ["tsc", "eslint", "jest", "vitest", "prettier"];

/** What lines name that the note does not. */
const NAMED: Readonly<Record<string, string>> = {
	".env.example": "SECRET=\n",
	".github/workflows/ci.yml": "on: push\n",
	".vscode/settings.json": "{}\n",
	artisan: "<?php\n",
	"lib/": "",
	"log.txt": "one\n",
	"manage.py": "print(1)\n",
	"packages/app/package.json": '{ "name": "app", "version": "1.0.0", "scripts": { "test": "node -e 0" } }\n',
	"packages/app/src/index.ts": "export {};\n",
	"scripts/run.sh": "#!/bin/sh\nexit 0\n",
	"spec/a_spec.rb": "# none\n",
};

export function furnish({ workspace }: Pick<Fixture, "workspace">, more = true): void {
	for (const name of PROGRAMS) put(join(workspace, "node_modules", ".bin", name), "#!/bin/sh\nexit 0\n", 0o755);
	if (!more) return;
	for (const [name, text] of Object.entries(NAMED)) put(join(workspace, name), text, 0o644);
}

function put(path: string, text: string, mode: number): void {
	mkdirSync(path.endsWith("/") ? path : dirname(path), { recursive: true });
	if (path.endsWith("/")) return;
	writeFileSync(path, text);
	chmodSync(path, mode);
}
