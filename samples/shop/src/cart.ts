import { formatPrice, percentOf } from "./money.ts";

export interface Product {
	sku: string;
	name: string;
	/** In cents. */
	price: number;
}

export interface CartLine {
	product: Product;
	quantity: number;
}

export type Cart = readonly CartLine[];

export function addToCart(cart: Cart, product: Product, quantity = 1): Cart {
	if (!Number.isInteger(quantity) || quantity < 1) throw new Error(`A cart takes whole pieces, not ${quantity}`);
	const known = cart.find((line) => line.product.sku === product.sku);
	if (!known) return [...cart, { product, quantity }];
	return cart.map((line) => (line === known ? { ...line, quantity: line.quantity + quantity } : line));
}

export function removeFromCart(cart: Cart, sku: string): Cart {
	return cart.filter((line) => line.product.sku !== sku);
}

export function subtotal(cart: Cart): number {
	return cart.reduce((sum, line) => sum + line.product.price * line.quantity, 0);
}

/** Ten percent off from two hundred dollars on. */
export function discount(cart: Cart): number {
	const sum = subtotal(cart);
	return sum >= 20_000 ? percentOf(sum, 10) : 0;
}

export function total(cart: Cart): number {
	return subtotal(cart) - discount(cart);
}

/** One line for the top of the page. */
export function describeCart(cart: Cart): string {
	const pieces = cart.reduce((sum, line) => sum + line.quantity, 0);
	if (pieces === 0) return "Your cart is empty";
	return `${pieces} ${pieces === 1 ? "item" : "items"}, ${formatPrice(total(cart))}`;
}
