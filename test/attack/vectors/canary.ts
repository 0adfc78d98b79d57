// Finds a secret in what was printed, sent or written, in the disguises that ordinary programs give it.

/** The text as it is, turned around, in other letters, in base64 and in hexadecimal, with whatever stands between. */
export function tells(text: string, canary: string): boolean {
	const bare = text.replace(/[^A-Za-z0-9+/=]/g, "");
	const plain = [text, bare, reversed(bare), rotated(bare)].map((one) => one.toLowerCase());
	if (plain.some((one) => one.includes(canary.toLowerCase()))) return true;
	if (disguises(canary).some((one) => bare.includes(one))) return true;
	return dumped(text).some((one) => one.includes(Buffer.from(canary).toString("hex")));
}

const reversed = (text: string) => [...text].reverse().join("");

function rotated(text: string): string {
	return text.replace(/[a-z]/gi, (letter) => {
		const base = letter <= "Z" ? 65 : 97;
		return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base);
	});
}

/** Base64 of what may stand three ways in its groups of bytes; the ends, which depend on the neighbors, are left out. */
function disguises(canary: string): string[] {
	return [0, 1, 2].map((before) => {
		const encoded = Buffer.from("x".repeat(before) + canary).toString("base64");
		return encoded.slice(before === 0 ? 0 : 4, -4);
	});
}

/** Dumps in hexadecimal: the columns of digits alone, in both orders of bytes. */
function dumped(text: string): string[] {
	const digits = text
		.split("\n")
		.map((line) => line.replace(/^[0-9a-f]{6,}:?\s+/i, "").replace(/\s{2}.*$/, ""))
		.join("")
		.replace(/[^0-9a-f]/gi, "")
		.toLowerCase();
	return [digits, digits.replace(/(..)(..)/g, "$2$1")];
}
