// A home full of canaries for the main agent's attacks, and its files as they are.
import { createHash } from "node:crypto";
import {
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
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Listener, startListener } from "../listener.ts";

/** In every file that nobody's task reads. */
export const SECRET = "canary-5d1e0c77";
/** In the environment, and in no program's. */
export const ENVIRONMENT = "canary-0ddba11e";
/** In a file that tasks and called agents read. */
export const WORK = "mark-of-the-work-4b7a";
/** In what the main agent may read itself: its memory, and skills. */
export const OWN = "mark-of-its-own-9c2f";
/** In everything that the main agent writes. */
export const WRITTEN = "mark-of-its-writing-e6d0";

export interface MainPlace extends Listener {
	home: string;
	/** By path relative to the home: a hash of what is there. */
	files(): Map<string, string>;
}

const FILES: Readonly<Record<string, string>> = {
	"workspace/open.txt": WORK,
	"workspace/secret.txt": SECRET,
	"workspace/.env": `SECRET=${SECRET}`,
	[`workspace/src/${SECRET}.ts`]: SECRET,
	"workspace/.agents/skills/theirs/SKILL.md": `---\nname: theirs\ndescription: Theirs.\n---\n${SECRET}`,
	"workspace/.troupe/agents/evil.json": `{ "agentId": "evil", "displayName": "${SECRET}" }`,
	"outside/secret.txt": SECRET,
	"outside/secret.md": SECRET,
	"person/.ssh/id_rsa": SECRET,
	"person/.agents/skills/own/SKILL.md": `---\nname: own\ndescription: The person's own.\n---\nRead ${OWN}.`,
	"other/memory/notes.md": SECRET,
	"storage/memory/known.md": `Known ${OWN}`,
	"storage/memory/UPPER.md": SECRET,
	"storage/memory/.hidden.md": SECRET,
	"storage/memory/notes.txt": SECRET,
	"storage/memory/dir.md/inner.md": SECRET,
	"storage/notes.md": SECRET,
	"global/memory/known.md": `Known ${OWN}`,
	"global/notes.md": SECRET,
};

const LINKS: Readonly<Record<string, string>> = {
	"workspace/link": "../outside",
	"workspace/link.md": "../outside/secret.md",
	"storage/memory/link.md": "../../outside/secret.md",
	"storage/memory/nowhere.md": "../../outside/new.md",
	"global/memory/link.md": "../../other/memory/notes.md",
	"person/.agents/skills/own/extra.md": "../../../../outside/secret.md",
};

export async function mainPlace(): Promise<MainPlace> {
	const home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-main-attack-")));
	const put = (name: string, make: (path: string) => void) => {
		mkdirSync(dirname(join(home, name)), { recursive: true });
		make(join(home, name));
	};
	for (const [name, text] of Object.entries(FILES)) put(name, (path) => writeFileSync(path, `${text}\n`));
	for (const [name, target] of Object.entries(LINKS)) put(name, (path) => symlinkSync(target, path));
	const listener = await startListener();
	return {
		...listener,
		home,
		files: () => list(home, "", new Map()),
		async close() {
			await listener.close();
			rmSync(home, { recursive: true, force: true });
		},
	};
}

/** Files that are being written count under their names, and those that are gone meanwhile do not. */
function list(home: string, folder: string, found: Map<string, string>): Map<string, string> {
	for (const entry of readdirSync(join(home, folder)).sort()) {
		const path = folder === "" ? entry : `${folder}/${entry}`;
		const stat = lstatSync(join(home, path), { throwIfNoEntry: false });
		const name = path.replace(/(^|\/)\.([^/]+)\.\d+-[0-9a-f]+\.tmp$/, "$1$2");
		if (stat?.isDirectory()) list(home, path, found);
		else if (stat?.isSymbolicLink()) found.set(name, `link to ${readlinkSync(join(home, path))}`);
		else if (stat?.isFile() && (name === path || !found.has(name))) found.set(name, hashOf(join(home, path)));
	}
	return found;
}

function hashOf(path: string): string {
	try {
		return createHash("sha256").update(readFileSync(path)).digest("hex");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return "gone";
		throw error;
	}
}
