// A file as a message mentions it.

export function mentionText(path: string, lines?: readonly [number, number]): string {
	const range = lines === undefined ? "" : lines[0] === lines[1] ? `:${lines[0]}` : `:${lines[0]}-${lines[1]}`;
	return `@${path}${range}`;
}
