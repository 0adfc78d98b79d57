// Tells programs that only stand for another one, which files of the repository choose: version managers' shims.
import type { ResolvedProgram } from "../../core/ports/workspace.ts";

/** asdf, pyenv, rbenv, nodenv, jenv, goenv, mise and proto have their shims in such folders, Volta beside itself. */
const FOLDERS = /[/\\](?:shims|\.volta[/\\]bin|Volta[/\\]bin)[/\\]/;

/** What the name really leads to where one program stands for many. */
const MANAGERS =
	/^(?:rustup(?:-init)?|volta(?:-shim)?|mise|rtx|asdf|proto(?:-shim)?|pyenv|rbenv|nodenv|jenv|goenv|tfenv|fvm|corepack|devbox|hermit)(?:\.exe)?$/;

/** Such a program reads `.tool-versions`, `rust-toolchain.toml` and their like, which may name a program of the repository. */
export function isShim({ path, real }: Pick<ResolvedProgram, "path" | "real">): boolean {
	return [path, real].some((file) => FOLDERS.test(file)) || MANAGERS.test(real.split(/[/\\]/).at(-1) ?? "");
}
