// Manages one server in one session: starts it on demand, restarts it after crashes, stops it when idle.
import type * as z from "zod";
import type { McpServerConfig, McpServerState } from "../core/ports/mcp.ts";
import { UserError } from "../core/userError.ts";
import { t } from "../shared/l10n.ts";
import { unlessAborted } from "../shared/node/withTimeout.ts";
import { createDeadline, type McpTimeouts } from "./deadlines.ts";
import { checkPrompts, checkTools, type ToolListing } from "./definitions.ts";
import type { ElicitationResult } from "./elicitation.ts";
import type { OpenedServer, OpenServerOptions } from "./openServer.ts";
import { serverReasonOf } from "./serverReason.ts";
import { listAllPages, ToolList } from "./toolList.ts";
import { cleanLine } from "./wire/sanitize.ts";

export interface ConnectionOptions {
	config: McpServerConfig;
	timeouts: McpTimeouts;
	/** Checks approval and secrets before a start. Throws a sentence. */
	authorizeStart(
		state: (state: McpServerState) => void,
		signal: AbortSignal,
	): Promise<Omit<OpenServerOptions, "signal" | "timeout" | "onNotification" | "onClose" | "onElicitation">>;
	/** Called after the state has changed. */
	onStateChange(): void;
	/** Called when its tools were listed, initially or again. */
	onToolsListed(listed: ToolListing): Promise<void>;
	onOutput(line: string): void;
	log(line: string): void;
	/** Removes the server's secrets from a text. */
	redact(text: string): string;
	/** Forwards a server's question to the user; absent if nobody can be asked. */
	onElicitation?(params: unknown, signal: AbortSignal): Promise<ElicitationResult>;
}

export class ServerConnection {
	readonly config: McpServerConfig;
	state: McpServerState = "stopped";
	/** Text on why it failed, or on what it is waiting for. */
	why: string | undefined;
	/** Reason for a failed start, without the server's name. */
	cause: string | undefined;
	prompts: ReturnType<typeof checkPrompts> = [];
	/** Writes a line to the log, without the server's secrets. */
	readonly log: (line: string) => void;
	private readonly parts: ConnectionOptions;
	private opened: OpenedServer | undefined;
	private starting: Promise<void> | undefined;
	private ending: Promise<void> = Promise.resolve();
	private life = new AbortController();
	private crashes: number[] = [];
	private unused: NodeJS.Timeout | undefined;
	private again: NodeJS.Timeout | undefined;
	private lists: ToolList | undefined;
	private busy = 0;
	/** Number of the server's questions shown to the user; timeouts are paused meanwhile. */
	private questions = 0;

	constructor(parts: ConnectionOptions) {
		this.parts = parts;
		this.config = parts.config;
		this.log = (line) => parts.log(parts.redact(line));
	}

	/** The server offers resources; kept while it is stopped. */
	hasResources = false;

	get isStarting(): boolean {
		return this.starting !== undefined;
	}

	/** After too many crashes, only the user can restart it. */
	get hasGivenUp(): boolean {
		const since = Date.now() - this.parts.timeouts.crashWindow;
		this.crashes = this.crashes.filter((at) => at > since);
		return this.crashes.length >= this.parts.timeouts.crashes;
	}

	/** Resolves when it is ready; rejects with a sentence on failure or abort. */
	async ensureReady(signal: AbortSignal): Promise<void> {
		signal.throwIfAborted();
		this.touch();
		if (this.opened) return;
		if (this.hasGivenUp) throw new UserError(this.why ?? this.crashedTooOften());
		clearTimeout(this.again);
		this.starting ??= this.start().finally(() => {
			this.starting = undefined;
		});
		await unlessAborted(this.starting, signal);
	}

	/** Sends a request to the server, starting it if necessary. */
	async request<T extends z.ZodType>(
		method: string,
		params: Record<string, unknown>,
		shape: T,
		{ signal, progress }: { signal: AbortSignal; progress?: (text: string) => void },
	): Promise<z.output<T>> {
		await this.ensureReady(signal);
		const { opened } = this;
		if (!opened) throw new UserError(t("{0} stopped unexpectedly.", this.config.name));
		const { userAction: person, ...usual } = this.parts.timeouts;
		const { timeout } = this.config;
		const { idleCall, totalCall } = timeout === undefined ? usual : { idleCall: timeout * 1_000, totalCall: timeout * 1_000 };
		const asks = (): boolean => this.questions > 0;
		const whole = createDeadline(totalCall, signal, asks);
		const idle = createDeadline(idleCall, whole.signal, asks);
		this.busy += 1;
		try {
			return (await opened.client.request({ method, params }, shape, {
				signal: idle.signal,
				timeout: totalCall + person,
				onprogress: ({ progress: done, total, message }) => {
					idle.again();
					progress?.(cleanLine(message ?? (total === undefined ? String(done) : `${done} / ${total}`)));
				},
			})) as z.output<T>;
		} catch (error) {
			if (isLost(error) && this.opened === opened) this.lost(error as Error);
			throw idle.signal.aborted ? idle.signal.reason : this.hidden(error);
		} finally {
			whole.end();
			idle.end();
			this.busy -= 1;
			this.touch();
		}
	}

	/** Returns a complete list from the server. */
	async listAll(method: Parameters<typeof listAllPages>[1], signal: AbortSignal): Promise<unknown[]> {
		await this.ensureReady(signal);
		if (!this.opened) return [];
		return listAllPages(this.opened.client, method, this.parts.timeouts.start, signal).catch((error: unknown) => {
			throw this.hidden(error);
		});
	}

	private reasonOf(error: unknown, length: number): string {
		return cleanLine(this.parts.redact(serverReasonOf(error, this.log)), length);
	}

	/** Redacts an error message, since the server may repeat what it was sent. */
	private hidden(error: unknown): unknown {
		if (!(error instanceof Error)) return error;
		const said = this.parts.redact(error.message);
		return said === error.message ? error : Object.defineProperty(error, "message", { value: said });
	}

	/** Resolves when the tool list is current, so that a call cannot run a changed tool. */
	async waitForTools(signal: AbortSignal): Promise<void> {
		await this.ensureReady(signal);
		if (this.lists) await unlessAborted(this.lists.waitUntilCurrent(), signal);
	}

	/** Resolves when the server's processes have ended. */
	async stop(why?: string): Promise<void> {
		clearTimeout(this.unused);
		clearTimeout(this.again);
		this.life.abort(new UserError(t("{0} was stopped.", this.config.name)));
		this.life = new AbortController();
		this.crashes = [];
		this.close();
		this.become("stopped", why);
		await this.starting?.catch(() => undefined);
		await this.ending;
		this.become("stopped", why);
	}

	private async start(): Promise<void> {
		const { signal } = this.life;
		const { timeouts } = this.parts;
		try {
			const parts = await unlessAborted(
				this.parts.authorizeStart((state) => this.become(state), signal),
				signal,
			);
			// The previous instance must have ended, since it may use the same file or port.
			await this.ending;
			signal.throwIfAborted();
			this.become("starting");
			const { openServer } = await import("./openServer.ts");
			const limit = createDeadline(timeouts.start, signal, () => this.state === "signIn");
			let opened: OpenedServer | undefined;
			let lists: ToolList | undefined;
			try {
				opened = await openServer({
					...parts,
					signal: limit.signal,
					timeout: timeouts.start + timeouts.userAction,
					onNotification: (method) => lists?.handleNotification(method),
					...(this.parts.onElicitation && { onElicitation: (params, stop) => this.put(params, stop) }),
					onClose: (error) => {
						// During a start, the start itself fails.
						if (this.opened === opened && !this.starting) this.lost(error);
					},
				});
				limit.signal.throwIfAborted();
				this.opened = opened;
				this.hasResources = opened.client.getServerCapabilities()?.resources !== undefined;
				lists = this.listsOf(opened);
				this.lists = lists;
				await unlessAborted(lists.load(), limit.signal);
			} catch (error) {
				this.opened = undefined;
				lists?.dispose();
				if (opened) this.ending = opened.close();
				throw limit.signal.aborted ? limit.signal.reason : error;
			} finally {
				limit.end();
			}
			this.become("ready");
			this.touch();
		} catch (error) {
			const why = this.reasonOf(error, 500);
			if (!signal.aborted) this.become("failed", t("{0} could not be started: {1}", this.config.name, why), why);
			throw new UserError(signal.aborted ? why : this.why);
		}
	}

	private listsOf({ client }: OpenedServer): ToolList {
		const { timeouts, onToolsListed: listed, onStateChange: changed, onOutput: output } = this.parts;
		return new ToolList({
			client,
			minimumInterval: timeouts.listInterval,
			timeout: timeouts.start,
			signal: this.life.signal,
			onTools: (raw) => listed(checkTools(this.config.id, raw)),
			onPrompts: (raw) => {
				this.prompts = checkPrompts(this.config.id, raw);
				changed();
			},
			onOutput: output,
		});
	}

	/** Call when the sign-in starts or stops waiting. */
	setWaitingForSignIn(waits: boolean): void {
		this.become(waits ? "signIn" : "starting");
	}

	private async put(params: unknown, signal: AbortSignal): Promise<ElicitationResult> {
		// At most one question, and only during one of our calls, so that users are not asked without context.
		if (this.questions > 0 || this.busy === 0) return { action: "decline" };
		this.questions += 1;
		try {
			return (await this.parts.onElicitation?.(params, signal)) ?? { action: "decline" };
		} finally {
			this.questions -= 1;
		}
	}

	private lost(error: Error | undefined): void {
		this.close();
		this.crashes.push(Date.now());
		const why = error ? this.reasonOf(error, 200) : t("the server exited unexpectedly");
		if (this.hasGivenUp) {
			this.become("failed", this.crashedTooOften(why));
			return;
		}
		const delay = this.parts.timeouts.restartDelay(this.crashes.length - 1);
		this.become("starting", t("{0} stopped ({1}). Restarting…", this.config.name, why));
		this.again = setTimeout(() => {
			// A failed restart also counts as a crash.
			this.ensureReady(this.life.signal).catch((problem: Error) => {
				this.parts.onOutput(problem.message);
				if (this.state === "failed" && !this.hasGivenUp) this.lost(problem);
			});
		}, delay);
	}

	private crashedTooOften(why = ""): string {
		return t(
			"{0} stopped {1} times within a few minutes and wasn't restarted ({2}). Fix the problem, then restart the server.",
			this.config.name,
			this.parts.timeouts.crashes,
			why,
		);
	}

	private close(): void {
		const { opened } = this;
		this.opened = undefined;
		this.lists?.dispose();
		if (opened) this.ending = opened.close();
	}

	private touch(): void {
		clearTimeout(this.unused);
		if (!this.opened || this.busy > 0) return;
		this.unused = setTimeout(() => void this.stop(), this.parts.timeouts.idleShutdown);
		this.unused.unref();
	}

	private become(state: McpServerState, why?: string, cause?: string): void {
		if (this.state === state && this.why === why) return;
		[this.state, this.why, this.cause] = [state, why, cause];
		this.parts.onStateChange();
	}
}

/** Returns true if the connection was lost, rather than just the call. */
function isLost(error: unknown): boolean {
	if (!(error instanceof Error)) return false;
	const { code, status } = error as { code?: unknown; status?: unknown };
	return error.message === "fetch failed" || (typeof code === "string" && code.startsWith("CLIENT_HTTP") && status === 404);
}
