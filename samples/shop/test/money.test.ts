import assert from "node:assert/strict";
import { test } from "node:test";
import { formatPrice, parsePrice, percentOf } from "../src/money.ts";

test("formatPrice writes dollars with two decimals and separators", () => {
	assert.equal(formatPrice(129_900), "$1,299.00");
	assert.equal(formatPrice(5), "$0.05");
});

test("formatPrice knows other currencies", () => {
	assert.equal(formatPrice(1_250, "EUR"), "€12.50");
	assert.equal(formatPrice(99, "GBP"), "£0.99");
});

test("a negative amount has its sign before the symbol", () => {
	assert.equal(formatPrice(-2_500), "-$25.00");
});

test("a price can be read back", () => {
	assert.equal(parsePrice("$1,299.00"), 129_900);
	assert.equal(parsePrice(" 12.5 "), 1_250);
});

test("what is not a price is refused", () => {
	assert.throws(() => parsePrice("twelve"), /not a price/);
});

test("a percentage is rounded to the cent", () => {
	assert.equal(percentOf(999, 10), 100);
});
