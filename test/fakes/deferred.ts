// Test fixture: a promise that the test resolves, such as one that a scripted answer waits for.

export function createDeferred(): { until: Promise<void>; open(): void } {
	let open: () => void = () => undefined;
	const until = new Promise<void>((resolve) => {
		open = resolve;
	});
	return { until, open: () => open() };
}
