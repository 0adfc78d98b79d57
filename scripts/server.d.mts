export interface ServerOptions {
	folder?: string;
	extensionsDir: string;
	userDataDir: string;
	/** The person's settings. */
	settings?: Record<string, unknown>;
	mode?: "person" | "test";
	port?: number;
	/** False opens windows restricted, as VS Code does with folders it does not know. */
	trust?: boolean;
	/** Without the extensions that come with VS Code and no test needs. */
	isLean?: boolean;
	/** What the server and its extension hosts get besides. */
	environment?: Record<string, string>;
	onOutput?(text: string): void;
}

/** Resolves once the workbench is served on `origin`. */
export function startServer(options: ServerOptions): Promise<{ origin: string; url: string; pid: number; stop(): Promise<void> }>;
