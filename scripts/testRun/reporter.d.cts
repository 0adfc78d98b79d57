import type { ReporterConstructor } from "mocha";

declare const reporter: ReporterConstructor;
export = reporter;
