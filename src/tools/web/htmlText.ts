// Converts a web page to text for a model; headings, lists, links and code keep their structure.
import { Parser } from "htmlparser2";

const SKIPPED = new Set(["script", "style", "noscript", "template", "svg", "iframe", "object", "canvas", "head", "select", "button"]);
const BLOCKS = new Set(
	"address article aside blockquote dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tr ul".split(
		" ",
	),
);
const PARAGRAPHS = new Set(["p", "h1", "h2", "h3", "h4", "h5", "h6", "pre", "ul", "ol", "table", "blockquote"]);

/** The readable text of a page, beginning with its title. Links show their target, resolved against the page's URL. */
export function htmlToText(html: string, base: URL): string {
	const page = new PageText(base);
	const parser = new Parser(
		{
			onopentag: (name, attributes) => page.open(name, attributes),
			ontext: (text) => page.text(text),
			onclosetag: (name) => page.close(name),
		},
		{ decodeEntities: true },
	);
	parser.end(html);
	return page.result();
}

class PageText {
	private readonly base: URL;
	private out: string[] = [];
	private title = "";
	private inTitle = false;
	/** Nesting depth inside skipped elements. */
	private skipped = 0;
	private preformatted = 0;
	private links: { target: string | undefined; from: number }[] = [];
	/** Line breaks and spaces due before the next word. */
	private breaks = 0;
	private blank = false;

	constructor(base: URL) {
		this.base = base;
	}

	open(name: string, attributes: Record<string, string>): void {
		if (name === "title") this.inTitle = true;
		if (SKIPPED.has(name)) this.skipped += 1;
		if (this.skipped > 0) return;
		if (name === "br") this.breaks = Math.max(this.breaks, 1);
		this.separate(name);
		if (name === "pre") this.fence();
		if (/^h[1-6]$/.test(name)) this.write(`${"#".repeat(Number(name[1]))} `);
		if (name === "li") this.write("- ");
		if (name === "td" || name === "th") this.blank = true;
		if (name === "img" && attributes["alt"]) this.text(`[image: ${attributes["alt"]}]`);
		if (name === "a") this.links.push({ target: this.targetOf(attributes["href"]), from: this.out.length });
	}

	text(text: string): void {
		if (this.inTitle) this.title += text;
		if (this.skipped > 0) return;
		if (this.preformatted > 0) {
			this.write(text);
			return;
		}
		if (/^\s/.test(text)) this.blank = true;
		const content = text.trim().replace(/\s+/g, " ");
		if (content) this.write(content);
		if (content && /\s$/.test(text)) this.blank = true;
	}

	close(name: string): void {
		if (name === "title") this.inTitle = false;
		if (SKIPPED.has(name)) {
			this.skipped = Math.max(0, this.skipped - 1);
			return;
		}
		if (this.skipped > 0) return;
		if (name === "a") {
			const link = this.links.pop();
			if (link?.target !== undefined && this.out.length > link.from) this.out.push(` (${link.target})`);
		}
		if (name === "pre") this.fence();
		this.separate(name);
	}

	result(): string {
		const title = this.title.trim().replace(/\s+/g, " ");
		const text = this.out.join("").trim();
		return title ? `${title}\n\n${text}` : text;
	}

	private separate(name: string): void {
		if (BLOCKS.has(name)) this.breaks = Math.max(this.breaks, PARAGRAPHS.has(name) ? 2 : 1);
	}

	private fence(): void {
		this.breaks = Math.max(this.breaks, 1);
		this.write("```");
		this.breaks = 1;
		this.preformatted = this.preformatted > 0 ? 0 : 1;
	}

	private write(text: string): void {
		if (this.out.length > 0 && this.breaks > 0) this.out.push("\n".repeat(this.breaks));
		else if (this.blank && this.out.length > 0 && !this.out.at(-1)?.endsWith(" ")) this.out.push(" ");
		this.breaks = 0;
		this.blank = false;
		this.out.push(text);
	}

	private targetOf(href: string | undefined): string | undefined {
		if (!href || href.startsWith("#")) return undefined;
		try {
			const url = new URL(href, this.base);
			return url.protocol === "http:" || url.protocol === "https:" ? url.href : undefined;
		} catch {
			return undefined;
		}
	}
}
