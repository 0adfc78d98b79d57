import assert from "node:assert/strict";
import { test } from "node:test";
import { addToCart } from "../src/cart.ts";
import { OutOfStock, reserve, restock } from "../src/inventory.ts";
import { printInvoice } from "../src/invoice.ts";
import { formatPrice } from "../src/money.ts";

const chair = { sku: "chair", name: "Chair", price: 15_900 };

test("an invoice lists products, discount and total", () => {
	const text = printInvoice({ number: 7, customer: "Ada", cart: addToCart([], chair, 2) });
	assert.match(text, /^Invoice 7 for Ada\n\n2 × Chair +\$318\.00\n/);
	assert.match(text, /Discount +-\$31\.80/);
	assert.ok(text.includes(`You paid ${formatPrice(28_620)} instead of ${formatPrice(31_800)}.`));
});

test("a reservation takes pieces out of the stock, all or nothing", () => {
	const stock = restock(new Map(), "chair", 3);
	assert.equal(reserve(stock, addToCart([], chair, 2)).get("chair"), 1);
	assert.throws(() => reserve(stock, addToCart([], chair, 4)), new OutOfStock("Chair", 4, 3, 15_900));
	assert.equal(stock.get("chair"), 3);
});
