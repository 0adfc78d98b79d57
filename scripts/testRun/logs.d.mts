export interface Log {
	/** From the folder of logs, with dashes for slashes. */
	name: string;
	entries: string[];
}

export function readLogs(folder: string, since?: number): Promise<Log[]>;
export function findOurErrors(logs: readonly Log[]): string[];
