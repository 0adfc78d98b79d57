// Retains the end of a growing text.

export class RingBuffer {
	private readonly most: number;
	private parts: string[] = [];
	private length = 0;

	constructor(most: number) {
		this.most = most;
	}

	append(text: string): void {
		this.parts.push(text.slice(-this.most));
		this.length += Math.min(text.length, this.most);
		if (this.length > 2 * this.most) this.cut();
	}

	text(): string {
		if (this.length > this.most) this.cut();
		return this.parts.join("");
	}

	/** Cuts at a line start, so that no escape sequence is split. */
	private cut(): void {
		const end = this.parts.join("").slice(-this.most);
		const line = end.indexOf("\n") + 1;
		this.parts = [end.slice(line)];
		this.length = end.length - line;
	}
}
