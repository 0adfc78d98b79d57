// Programs that create, copy, move and mark files: each target is judged as a write of its own.
import type { JudgeTable } from "../judgement.ts";

export const movers: JudgeTable = {};
