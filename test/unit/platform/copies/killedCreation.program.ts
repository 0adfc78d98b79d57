// Creates a copy of a workspace and stops in the middle of it, to be killed there: root, folder.
import { createCopies } from "../../../../src/platform/copies/copies.ts";
import { createPlatform } from "../../../../src/platform/platform.ts";
import { memoryBlobs } from "../support.ts";
import { options } from "./support.ts";

const [root = "", folder = ""] = process.argv.slice(2);
const folders = () => [{ name: "workspace", path: folder }];
const platform = createPlatform({
	folders,
	identity: () => folder,
	outputFolder: `${root}-output`,
	blobs: memoryBlobs(),
	findRipgrep: async () => undefined,
	extraVariables: () => [],
});
let asked = 0;
await createCopies({ root, folders, programs: platform.programs, workspace: platform }).create(
	"task-1",
	options({
		async isReadable() {
			asked += 1;
			if (asked > 64) {
				process.stdout.write("asked\n");
				await new Promise((resolve) => setTimeout(resolve, 60_000));
			}
			return true;
		},
	}),
);
