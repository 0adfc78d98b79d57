// Workspace for attack tests: secrets inside and around it, a forbidden server, and disk snapshots.
import { createHash } from "node:crypto";
import {
	existsSync,
	linkSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	readlinkSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const CANARY = "canary-7f3a91c2";

export interface Arena {
	home: string;
	/** The workspace folder. */
	folder: string;
	/** URL of a server that counts who reaches it. */
	url: string;
	reached(): number;
	/** SHA-256 over every name, link and byte of the workspace and what lies around it. */
	picture(): string;
	close(): Promise<void>;
}

const FILES: Record<string, string> = {
	"workspace/src/a.ts": "export const a = 1;\n",
	"workspace/src/b.ts": "import { a } from './a';\nexport const b = a;\n",
	"workspace/README.md": "# Read me\n",
	"workspace/victim": "one\ntwo\n",
	"workspace/package.json": '{ "name": "w", "scripts": { "test": "node -e 0" } }\n',
	"workspace/.env": `SECRET=${CANARY}\n`,
	"workspace/.git/config": "[core]\n\trepositoryformatversion = 0\n",
	"workspace/.git/HEAD": "ref: refs/heads/main\n",
	"workspace/.vscode/settings.json": "{}\n",
	"workspace/.agents/skill.md": "skill\n",
	"outside/secret.txt": `${CANARY}\n`,
	"workspace2/b.ts": "sibling\n",
	"person/.ssh/id_rsa": `${CANARY}\n`,
};

const LINKS: Record<string, string> = {
	"workspace/link": "../outside",
	"workspace/linkfile": "../outside/secret.txt",
	"workspace/up": "..",
	"workspace/loop": "loop",
	"workspace/vs": ".vscode",
	"workspace/dangling": "../outside/not-yet.txt",
	"workspace/gitlink": ".git",
};

export async function arena(): Promise<Arena> {
	const home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-arena-")));
	for (const [name, content] of Object.entries(FILES)) {
		mkdirSync(join(home, name, ".."), { recursive: true });
		writeFileSync(join(home, name), content);
	}
	for (const [name, target] of Object.entries(LINKS)) symlinkSync(target, join(home, name));
	linkSync(join(home, "outside/secret.txt"), join(home, "workspace/hard.txt"));
	let reached = 0;
	const server = createServer((_, response) => {
		reached += 1;
		response.end("here");
	});
	await new Promise<void>((resolve) => {
		server.listen(0, "127.0.0.1", resolve);
	});
	const { port } = server.address() as AddressInfo;
	return {
		home,
		folder: join(home, "workspace"),
		url: `http://127.0.0.1:${port}/`,
		reached: () => reached,
		picture: () => pictureOf(home),
		async close() {
			await new Promise((resolve) => {
				server.close(resolve);
			});
			rmSync(home, { recursive: true, force: true });
		},
	};
}

/** Our own storage is left out: transcripts are meant to grow. */
const OURS = new Set(["storage", "global"]);

function pictureOf(home: string): string {
	const hash = createHash("sha256");
	const visit = (path: string, name: string): void => {
		const stat = lstatSync(path);
		hash.update(`${name}\0${stat.mode}\0`);
		if (stat.isSymbolicLink()) hash.update(readlinkSync(path));
		else if (stat.isDirectory()) {
			for (const entry of readdirSync(path).sort()) if (name !== "" || !OURS.has(entry)) visit(join(path, entry), `${name}/${entry}`);
		} else hash.update(readFileSync(path));
	};
	visit(home, "");
	return hash.digest("hex");
}

/** Sample inputs of a shared collection, where it stands beside the project. */
export function vectors<T>(name: string): T | undefined {
	const path = join(process.cwd(), "..", "shared", "vectors", name);
	return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as T) : undefined;
}
