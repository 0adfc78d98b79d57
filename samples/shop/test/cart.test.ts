import assert from "node:assert/strict";
import { test } from "node:test";
import { addToCart, type Cart, describeCart, discount, removeFromCart, total } from "../src/cart.ts";

const lamp = { sku: "lamp", name: "Desk lamp", price: 4_900 };
const chair = { sku: "chair", name: "Chair", price: 15_900 };

test("the same product twice is one line", () => {
	const cart = addToCart(addToCart([], lamp), lamp, 2);
	assert.deepEqual(cart, [{ product: lamp, quantity: 3 }]);
});

test("a cart takes whole pieces only", () => {
	assert.throws(() => addToCart([], lamp, 0.5), /whole pieces/);
});

test("a product can be taken out again", () => {
	const cart: Cart = removeFromCart(addToCart(addToCart([], lamp), chair), "lamp");
	assert.deepEqual(cart, [{ product: chair, quantity: 1 }]);
});

test("ten percent off from two hundred dollars on", () => {
	const cart = addToCart(addToCart([], lamp), chair);
	assert.equal(discount(cart), 2_080);
	assert.equal(total(cart), 18_720);
});

test("the cart describes itself in one line", () => {
	assert.equal(describeCart([]), "Your cart is empty");
	assert.equal(describeCart(addToCart([], lamp, 2)), "2 items, $98.00");
});
