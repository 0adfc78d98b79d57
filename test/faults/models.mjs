// The matrix of failing model servers: every fault at every place of an answer, in every wire format, through the real house.
// `node test/faults/models.mjs`. Exits with 1 when a cell is wrong.
import { copyParser } from "../../scripts/parserAssets.mjs";
import { runBundled } from "../bundle.mjs";

await copyParser("out/parser");
await runBundled("test/faults/models/print.ts", "faults/models");
