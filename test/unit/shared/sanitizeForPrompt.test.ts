// Tests text of other agents and channels for a model: nothing hidden stays, and nothing that means something goes.
import assert from "node:assert/strict";
import { hasHidden } from "../../../src/core/hiddenText.ts";
import { sanitizeForPrompt, stripHiddenCharacters } from "../../../src/shared/safeText.ts";
import { hostileText, numbers } from "../../fakes/hostileText.ts";

/** Every character but those of planes that hold nothing. */
const everyCharacter = Array.from({ length: 0x30000 }, (_, code) => String.fromCodePoint(code)).concat(
	Array.from({ length: 0x1000 }, (_, offset) => String.fromCodePoint(0xe0000 + offset)),
);
/** As the order for them names them, apart from our own definition. */
const FORBIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u{e0000}-\u{e007f}]/u;
const KEPT_CONTROLS = /[\n\t\r]/;

/** Every emoji that this runtime knows, sequences included; flags of regions are made of tag characters. */
const emojis = (() => {
	const parts = everyCharacter.filter((character) => /(?!\p{Cn})[\p{Extended_Pictographic}\p{Regional_Indicator}]/u.test(character));
	const people = ["👩", "👨", "🧑"];
	const tones = ["", "🏻", "🏿"];
	const signs = ["💻", "🚀", "⚕\ufe0f", "🌾"];
	return [
		...parts,
		...parts.filter((part) => /\p{Emoji}/u.test(part)).flatMap((part) => [`${part}\ufe0f`, `${part}\ufe0e`]),
		...people.flatMap((person) => tones.flatMap((tone) => signs.map((sign) => `${person}${tone}\u200d${sign}`))),
		...["👨\u200d👩\u200d👧\u200d👦", "🏳\ufe0f\u200d🌈", "🏴\u200d☠\ufe0f", "❤\ufe0f\u200d🔥", "👁\ufe0f\u200d🗨\ufe0f", "🐦\u200d⬛", "🇩🇪"],
		...[..."0123456789#*"].map((key) => `${key}\ufe0f\u20e3`),
	];
})();

const words = [
	...["می\u200cخواهم", "کتاب\u200cها", "خانه\u200cام،", "ه\u200d.", "نمی\u200cدانم؟", "سُ\u200cو"],
	...["क्\u200dष", "क्\u200cष", "र्\u200dय", "श्री", "नमस्ते", "अर्\u200d"],
	...["ক্\u200dষ", "র\u200d্য", "ශ්\u200dරී", "അവന്\u200d", "ஸ்\u200cரீ", "ಕ್\u200dಷ"],
	...["naïve", "Zoë", "e\u0301", "价格", "データ", "שלום", "한글", "Tiếng Việt", "ß", "x²", "→", "日本語、テスト。"],
];

const PIECES = [
	...emojis.slice(-40),
	...words,
	...["a", " ", "\n", "\r\n", "\t", "/", "@", "1", "\\u{200d}"],
	...["\u200c", "\u200d", "\ufe0e", "\ufe0f", "\u200b", "\u202e", "\u2066", "\ufeff", "\u00ad", "\u{e0041}", "\u{e007f}", "\u{e0100}"],
	...["\ud83d", "\udc69", "\0", "\u0085", "\u009b31m", "\u001b[2K", "\u001b]0;title\u0007", "\u2028", "\u2029", "\ufff9", "\u3164"],
];

describe("text of other agents and channels", () => {
	it("has no control, format, separator, tag, or half character left but line breaks, tabs, and joiners with a purpose", () => {
		const text = everyCharacter.map((character) => `x${character}x`).join(" ");
		const wrong = [...new Set([...sanitizeForPrompt(text)].filter((one) => FORBIDDEN.test(one) && !KEPT_CONTROLS.test(one)))];
		assert.deepEqual(wrong, []);
		assert.equal(sanitizeForPrompt("a\r\nb\tc\rd\n"), "a\r\nb\tc\rd\n");
		assert.equal(sanitizeForPrompt("do\u{e0069}\u{e0067} it"), "do it");
		assert.equal(sanitizeForPrompt("a\u001b[31mred\u001b[0m \u001b]0;title\u0007b"), "ared b");
		assert.equal(sanitizeForPrompt("a\ud800b\udc00"), "ab");
	});

	it("keeps every visible character", () => {
		const visible = everyCharacter.filter((character) => !hasHidden(character));
		assert.ok(visible.length > 100_000);
		// A space between two, so that no two make a sequence.
		const text = visible.join(" ");
		assert.ok(sanitizeForPrompt(text) === text);
	});

	it("keeps every emoji, with its selectors and joiners", () => {
		assert.ok(emojis.length > 1_500, `${emojis.length}`);
		assert.deepEqual(
			emojis.filter((emoji) => sanitizeForPrompt(`a${emoji} ${emoji}${emoji}b`) !== `a${emoji} ${emoji}${emoji}b`),
			[],
		);
	});

	it("keeps the joiners in words that are written with them", () => {
		for (const word of words) assert.equal(sanitizeForPrompt(`${word} ${word}.`), `${word} ${word}.`);
		const sentence = words.join(" ");
		assert.equal(sanitizeForPrompt(sentence), sentence);
	});

	for (const [where, text, clean] of [
		["between Latin letters", "ig\u200dno\u200cre", "ignore"],
		["at the start", "\u200d\u200c\ufe0fa", "a"],
		["beside blanks", "می\u200c خواهم \u200d", "می خواهم "],
		["doubled", "👩\u200d\u200d💻", "👩💻"],
		["between an emoji and a letter", "👩\u200dx x\u200d👩", "👩x x👩"],
		["after a letter or a digit", "a\ufe0fb 1\ufe0f 价\ufe0e", "ab 1 价"],
		["in a row", "❤\ufe0f\ufe0f\ufe0e", "❤\ufe0f"],
		["around something that goes", "👩\u200d\u200b💻", "👩\u200d💻"],
	] as const)
		it(`loses joiners and selectors that change nothing: ${where}`, () => {
			assert.equal(sanitizeForPrompt(text), clean);
		});

	it("is the same after a second time, and nothing hidden is left, whatever the text", () => {
		for (let seed = 1; seed <= 4_000; seed += 1) {
			const next = numbers(seed);
			const text =
				seed % 2 === 0 ? hostileText(next) : Array.from({ length: 1 + next(14) }, () => PIECES[next(PIECES.length)] as string).join("");
			const once = sanitizeForPrompt(text);
			assert.equal(sanitizeForPrompt(once), once, `seed ${seed}: ${JSON.stringify(text)}`);
			assert.ok(!hasHidden(once, "lines", "returns", "joiners", "selectors"), `seed ${seed}`);
			// A selector before a joiner is the only pair with a purpose.
			assert.ok(!/(?:\u200c|\u200d)(?:\u200c|\u200d|\ufe0e|\ufe0f)|[\ufe0e\ufe0f]{2}/u.test(once), `seed ${seed}: ${JSON.stringify(once)}`);
			assert.ok(!hasHidden(stripHiddenCharacters(text), "lines", "joiners", "selectors"), `seed ${seed}`);
		}
	});

	it("takes a large text in a moment", () => {
		const text = "👩\u200d💻 می\u200cخواهم \u200d\u001b[31mx".repeat(40_000);
		const from = performance.now();
		sanitizeForPrompt(text);
		assert.ok(performance.now() - from < 2_000, `${performance.now() - from} ms`);
	});
});
