// Says why something failed, to a person or a model; what it can't say goes to the log.
import { ExplainedError } from "../core/userError.ts";
import { t } from "./l10n.ts";

type Log = (line: string) => void;

/**
 * A whole sentence for a person: an ExplainedError's own words, or the translated reason of the disk, a program, a server, or
 * VS Code. Anything else is a bug of ours, and its text is only logged. Without `log`, log the error yourself or pass it on as a cause.
 */
export function reasonOf(error: unknown, log: Log | undefined): string {
	const found = findReason(error);
	if (!(error instanceof ExplainedError) || error.cause !== undefined) log?.(describeForLog(error));
	return found?.reason() ?? t("Something went wrong. The log has details.");
}

/** Returns the reason for a model, in English. Node's and VS Code's errors keep their own words. */
export function modelReasonOf(error: unknown, log: Log | undefined): string {
	const found = findReason(error);
	if (found) return found.error.message;
	log?.(describeForLog(error));
	return "Something failed in Troupe itself. Its log says more.";
}

/**
 * The words of code that isn't ours, such as an SDK's or an adapter's, whose plain errors are written to be read. Undefined for an
 * error that reasonOf knows, and for a bug.
 */
export function foreignReasonOf(error: unknown): string | undefined {
	if (!(error instanceof Error) || hasReason(error)) return undefined;
	return bugs.some((kind) => error instanceof kind) ? undefined : error.message;
}

/** Errors that are never thrown on purpose. */
const bugs = [TypeError, ReferenceError, RangeError, SyntaxError, EvalError, URIError];

/** Returns false for a bug of ours, whose text nobody but the log should get. */
export function hasReason(error: unknown): boolean {
	return findReason(error) !== undefined;
}

/** The sentence for a code of Node or VS Code, without the path or server that it is about; undefined if there is none. */
export function reasonOfCode(code: string): string | undefined {
	return findCode(code)?.plain();
}

/** Returns the error's text with its stack and causes. */
export function describeForLog(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const own = error.stack ?? String(error);
	return error.cause === undefined ? own : `${own}\nCause: ${describeForLog(error.cause)}`;
}

interface Found {
	error: Error;
	reason(): string;
}

/** VS Code names errors so whose sentence it would show itself, such as that settings can't be written. */
const VSCODE_SENTENCE = "CodeExpectedError";

/** Causes and parts are looked through for as many levels. */
const MAX_DEPTH = 6;

/** The outermost error with a reason: fetch, for one, fails with a TypeError whose cause has it. */
function findReason(error: unknown, depth = 0): Found | undefined {
	if (!(error instanceof Error) || depth > MAX_DEPTH) return undefined;
	if (error instanceof ExplainedError || error.name === VSCODE_SENTENCE) return { error, reason: () => error.message };
	const own = findOwnReason(error);
	if (own) return { error, reason: () => formatReason(own, error as ErrorFacts) };
	const parts = error instanceof AggregateError ? (error.errors as unknown[]) : [];
	for (const inner of [error.cause, ...parts]) {
		const found = findReason(inner, depth + 1);
		if (found) return found;
	}
	return undefined;
}

function findOwnReason(error: Error): Reason | undefined {
	const { code } = error as ErrorFacts;
	const byCode = typeof code === "string" ? findCode(code) : undefined;
	return byCode ?? (Object.hasOwn(reasonsByName, error.name) ? reasonsByName[error.name] : undefined);
}

function findCode(code: string): Reason | undefined {
	if (Object.hasOwn(reasons, code)) return reasons[code];
	return reasonsByPrefix.find(([prefix]) => code.startsWith(prefix))?.[1];
}

/** Properties that Node adds to an error. */
interface ErrorFacts extends Error {
	code?: unknown;
	/** `spawn` and the program, for one that could not be started. */
	syscall?: unknown;
	path?: unknown;
	hostname?: unknown;
	host?: unknown;
	address?: unknown;
	port?: unknown;
}

function formatReason(reason: Reason, error: ErrorFacts): string {
	const program = typeof error.syscall === "string" && error.syscall.startsWith("spawn") ? text(error.path) : undefined;
	if (program !== undefined) return reason.program?.(program) ?? reason.plain();
	const path = text(error.path);
	if (path !== undefined && reason.path) return reason.path(path);
	const server = serverOf(error);
	return server !== undefined && reason.server ? reason.server(server) : reason.plain();
}

/** Returns the first address if several addresses of a server were tried. */
function serverOf(error: ErrorFacts): string | undefined {
	const { hostname, host, address, port } = (error instanceof AggregateError ? (error.errors[0] ?? error) : error) as ErrorFacts;
	const name = text(hostname) ?? text(host) ?? text(address);
	if (name === undefined || typeof port !== "number") return name;
	return name.includes(":") ? `[${name}]:${port}` : `${name}:${port}`;
}

function text(value: unknown): string | undefined {
	return typeof value === "string" && value !== "" ? value : undefined;
}

/** Sentences for one code: without further facts, and for the path, program, or server that it is about. */
interface Reason {
	plain(): string;
	path?(path: string): string;
	program?(name: string): string;
	server?(name: string): string;
}

const denied: Reason = {
	plain: () => t("The operating system denied access."),
	path: (path) => t("The operating system denied access to {0}.", path),
	program: (name) => t("The operating system doesn't allow {0} to run.", name),
};
const notFound: Reason = {
	plain: () => t("The file or folder doesn't exist."),
	path: (path) => t("{0} doesn't exist.", path),
	program: (name) => t("The program {0} wasn't found.", name),
};
const exists: Reason = {
	plain: () => t("A file or folder with this name already exists."),
	path: (path) => t("{0} already exists.", path),
};
const isFolder: Reason = {
	plain: () => t("The path leads to a folder, not a file."),
	path: (path) => t("{0} is a folder, not a file.", path),
};
const noFolder: Reason = {
	plain: () => t("A part of the path is a file, not a folder."),
	path: (path) => t("A part of the path {0} is a file, not a folder.", path),
};
const inUse: Reason = {
	plain: () => t("Another program is using the file or folder."),
	path: (path) => t("Another program is using {0}.", path),
	program: (name) => t("Another program is using {0}.", name),
};
const tooManyFiles: Reason = { plain: () => t("Too many files are open.") };
const closed: Reason = {
	plain: () => t("The connection was closed unexpectedly."),
	server: (name) => t("{0} closed the connection.", name),
};
const late: Reason = { plain: () => t("There was no response in time."), server: (name) => t("{0} didn't respond in time.", name) };
const unreachable: Reason = {
	plain: () => t("The server can't be reached from this network."),
	server: (name) => t("{0} can't be reached from this network.", name),
};
const untrusted: Reason = { plain: () => t("The server's certificate isn't trusted.") };
const malformed: Reason = { plain: () => t("The server's response couldn't be read.") };
const insecure: Reason = { plain: () => t("Couldn't establish a secure connection to the server.") };
const canceled: Reason = { plain: () => t("The operation was canceled.") };

/** Reasons by the `code` of Node's errors, of its HTTP client's, and of vscode.FileSystemError. */
const reasons: Readonly<Record<string, Reason>> = {
	// The disk.
	ENOSPC: { plain: () => t("The disk is full.") },
	EDQUOT: { plain: () => t("Your disk quota is used up.") },
	EROFS: { plain: () => t("The disk is read-only."), path: (path) => t("{0} is on a read-only disk.", path) },
	EACCES: denied,
	EPERM: denied,
	ENOENT: notFound,
	EEXIST: exists,
	EISDIR: isFolder,
	ENOTDIR: noFolder,
	ENOTEMPTY: { plain: () => t("The folder isn't empty."), path: (path) => t("The folder {0} isn't empty.", path) },
	EBUSY: inUse,
	ETXTBSY: inUse,
	EMFILE: tooManyFiles,
	ENFILE: tooManyFiles,
	ENAMETOOLONG: { plain: () => t("The file name is too long."), path: (path) => t("The file name is too long: {0}", path) },
	EFBIG: { plain: () => t("The file is too large.") },
	EIO: { plain: () => t("The disk reported an error.") },
	ELOOP: { plain: () => t("The symbolic links form a loop."), path: (path) => t("The symbolic links of {0} form a loop.", path) },
	EXDEV: { plain: () => t("The file can't be moved to another disk.") },
	ENOTFILE: { plain: () => t("The path leads to neither a file nor a folder.") },
	ELINK: { plain: () => t("The path is a symbolic link whose target can't be determined.") },
	// Programs.
	ENOEXEC: { plain: () => t("The file isn't a program."), program: (name) => t("{0} isn't a program.", name) },
	E2BIG: { plain: () => t("The command line is too long.") },
	ENOMEM: { plain: () => t("There isn't enough memory.") },
	// Servers.
	ECONNREFUSED: {
		plain: () => t("The server refused the connection."),
		server: (name) => t("{0} refused the connection.", name),
	},
	ECONNRESET: closed,
	ECONNABORTED: closed,
	EPIPE: closed,
	UND_ERR_SOCKET: closed,
	ETIMEDOUT: late,
	UND_ERR_CONNECT_TIMEOUT: late,
	UND_ERR_HEADERS_TIMEOUT: late,
	UND_ERR_BODY_TIMEOUT: late,
	ENOTFOUND: { plain: () => t("The server wasn't found."), server: (name) => t("The server {0} wasn't found.", name) },
	EAI_AGAIN: {
		plain: () => t("The server's address couldn't be looked up. Check the network connection."),
		server: (name) => t("The address of {0} couldn't be looked up. Check the network connection.", name),
	},
	EHOSTUNREACH: unreachable,
	ENETUNREACH: unreachable,
	ENETDOWN: unreachable,
	EADDRINUSE: { plain: () => t("The port is already in use."), server: (name) => t("{0} is already in use.", name) },
	CERT_HAS_EXPIRED: { plain: () => t("The server's certificate has expired.") },
	CERT_NOT_YET_VALID: { plain: () => t("The server's certificate isn't valid yet.") },
	CERT_REVOKED: { plain: () => t("The server's certificate was revoked.") },
	DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
	SELF_SIGNED_CERT_IN_CHAIN: untrusted,
	ERR_TLS_CERT_ALTNAME_INVALID: { plain: () => t("The server's certificate was issued for another server.") },
	EPROTO: insecure,
	// VS Code.
	FileNotFound: notFound,
	FileExists: exists,
	FileNotADirectory: noFolder,
	FileIsADirectory: isFolder,
	NoPermissions: denied,
	Unavailable: { plain: () => t("The file system isn't available.") },
};

/** Reasons by the beginning of the code, for families of codes. */
const reasonsByPrefix: readonly (readonly [string, Reason])[] = [
	["CERT_", untrusted],
	["UNABLE_TO_GET_", untrusted],
	["UNABLE_TO_VERIFY_", untrusted],
	["ERR_SSL_", insecure],
	["ERR_TLS_", insecure],
	["HPE_", malformed],
	["Z_", malformed],
];

/** Reasons by the `name` of errors without such a code. */
const reasonsByName: Readonly<Record<string, Reason>> = {
	AbortError: canceled,
	/** vscode.CancellationError. */
	Canceled: canceled,
	TimeoutError: { plain: () => t("The operation took too long.") },
};
