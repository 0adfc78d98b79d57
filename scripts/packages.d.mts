interface LockedPackage {
	version?: string;
	integrity?: string;
	optional?: boolean;
	devOptional?: boolean;
}

/** Whether a folder of packages holds what the lock file names. */
export function isInstalled(locked: Record<string, LockedPackage>, installed: Record<string, LockedPackage>): boolean;
