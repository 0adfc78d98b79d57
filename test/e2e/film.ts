// Records a window as screenshots with captions and a pointer, and encodes them as an animation.
import type { Browser, Locator, Page } from "playwright-core";
import { animatedWebp, type WebpFrame } from "./animatedWebp.ts";

/** A picture in PNG as WebP without loss, half as long. */
export async function asWebp(browser: Browser, picture: Buffer): Promise<Buffer> {
	const page = await browser.newPage();
	try {
		const whole = await page.evaluate(encodeChange, picture.toString("base64"));
		if (!whole) throw new Error("The picture is empty");
		return Buffer.from(whole.bytes, "base64");
	} finally {
		await page.close();
	}
}

interface Shot {
	/** PNG, in base64. */
	picture: string;
	duration: number;
}

export class Film {
	private readonly page: Page;
	private readonly shots: Shot[] = [];
	private pointer = { x: 700, y: 420 };

	constructor(page: Page) {
		this.page = page;
	}

	/** Shows the window as it is for so many milliseconds. */
	async hold(duration: number): Promise<void> {
		const bytes = await this.page.screenshot({ animations: "disabled", caret: "initial" });
		this.shots.push({ picture: bytes.toString("base64"), duration });
	}

	async caption(text: string): Promise<void> {
		await this.page.evaluate(drawCaption, text);
	}

	/** Moves the pointer to the middle of it, and presses. */
	async press(target: Locator, press: () => Promise<unknown>): Promise<void> {
		const box = await target.boundingBox();
		if (!box) throw new Error("There is nothing to press");
		const [from, to] = [this.pointer, { x: box.x + box.width / 2, y: box.y + box.height / 2 }];
		for (const part of [0.35, 0.7, 0.9, 1]) {
			this.pointer = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
			await this.page.evaluate(drawPointer, this.pointer);
			await this.hold(part === 1 ? 350 : 60);
		}
		await press();
	}

	/** Takes a picture whenever something else is seen, until `done` resolves. */
	async watch(done: Promise<unknown>, duration: number, most: number): Promise<void> {
		let isDone = false;
		const ended = done.finally(() => {
			isDone = true;
		});
		const before = this.shots.length;
		while (!isDone) {
			await this.hold(duration);
			const [last, earlier] = [this.shots.at(-1), this.shots.at(-2)];
			if (last?.picture === earlier?.picture || this.shots.length - before > most) this.shots.pop();
		}
		await ended;
	}

	/** Of so many milliseconds in all, in WebP without loss: each frame holds only what has changed. */
	async develop(browser: Browser, length: number): Promise<Buffer> {
		const { width, height } = this.page.viewportSize() ?? { width: 0, height: 0 };
		const all = this.shots.reduce((sum, { duration }) => sum + duration, 0);
		const page = await browser.newPage();
		try {
			const frames: WebpFrame[] = [];
			for (const { picture, duration } of this.shots) {
				const changed = await page.evaluate(encodeChange, picture);
				const shown = Math.round((duration * length) / all);
				const last = frames.at(-1);
				if (changed) frames.push({ ...changed, bytes: Buffer.from(changed.bytes, "base64"), duration: shown });
				else if (last) last.duration += shown;
			}
			return animatedWebp(width, height, frames);
		} finally {
			await page.close();
		}
	}
}

/** In the window. */
function drawCaption(text: string): void {
	const id = "film-caption";
	const caption = document.getElementById(id) ?? document.body.appendChild(document.createElement("div"));
	caption.id = id;
	caption.textContent = text;
	Object.assign(caption.style, {
		position: "fixed",
		right: "36px",
		bottom: "52px",
		zIndex: "100000",
		padding: "10px 20px",
		borderRadius: "8px",
		background: "#1f2a44",
		border: "1px solid #4b5c86",
		color: "#f4f6fb",
		font: "600 22px sans-serif",
	});
}

/** In the window. */
function drawPointer({ x, y }: { x: number; y: number }): void {
	const id = "film-pointer";
	const space = "http://www.w3.org/2000/svg";
	let pointer = document.getElementById(id);
	if (!pointer) {
		const drawing = document.createElementNS(space, "svg");
		const arrow = document.createElementNS(space, "path");
		arrow.setAttribute("d", "M1 1v17l4.5-4 3 7 3-1.3-3-6.7H15z");
		arrow.setAttribute("fill", "#fff");
		arrow.setAttribute("stroke", "#000");
		drawing.append(arrow);
		pointer = document.body.appendChild(document.createElement("div"));
		pointer.id = id;
		pointer.append(drawing);
		Object.assign(pointer.style, { position: "fixed", zIndex: "100001", pointerEvents: "none" });
	}
	Object.assign(pointer.style, { left: `${x}px`, top: `${y}px` });
}

interface Change {
	/** WebP, in base64. */
	bytes: string;
	x: number;
	y: number;
	width: number;
	height: number;
}

/** In a page of its own, picture after picture: the part that differs from the one before; undefined where nothing does. */
async function encodeChange(picture: string): Promise<Change | undefined> {
	const kept = globalThis as { shownBefore?: ImageData };
	const bitmap = await createImageBitmap(await (await fetch(`data:image/png;base64,${picture}`)).blob());
	const { width, height } = bitmap;
	const canvas = new OffscreenCanvas(width, height);
	const pen = canvas.getContext("2d", { willReadFrequently: true });
	if (!pen) throw new Error("There is nothing to draw on");
	pen.drawImage(bitmap, 0, 0);
	const now = pen.getImageData(0, 0, width, height);
	const [one, other] = [new Uint32Array(now.data.buffer), kept.shownBefore && new Uint32Array(kept.shownBefore.data.buffer)];
	kept.shownBefore = now;
	let [left, top, right, bottom] = [width, height, -1, -1];
	for (let at = 0; at < one.length; at += 1) {
		if (other && one[at] === other[at]) continue;
		const [x, y] = [at % width, Math.floor(at / width)];
		[left, right] = [Math.min(left, x), Math.max(right, x)];
		[top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
	}
	if (right < 0) return undefined;
	const [x, y] = [left - (left % 2), top - (top % 2)];
	const part = new OffscreenCanvas(right - x + 1, bottom - y + 1);
	part.getContext("2d")?.putImageData(now, -x, -y);
	/* Quality 1 is without loss. */
	const bytes = new Uint8Array(await (await part.convertToBlob({ type: "image/webp", quality: 1 })).arrayBuffer());
	return { bytes: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join("")), x, y, width: part.width, height: part.height };
}
