import type { Cart } from "./cart.ts";
import { formatPrice } from "./money.ts";

/** Pieces in stock, by SKU. */
export type Stock = ReadonlyMap<string, number>;

export class OutOfStock extends Error {
	constructor(name: string, wanted: number, left: number, price: number) {
		super(`${name} (${formatPrice(price)}): ${wanted} wanted, ${left} left`);
		this.name = "OutOfStock";
	}
}

/** The stock after a cart was set aside. All of it or nothing: the given stock stays as it was. */
export function reserve(stock: Stock, cart: Cart): Stock {
	const after = new Map(stock);
	for (const { product, quantity } of cart) {
		const left = after.get(product.sku) ?? 0;
		if (left < quantity) throw new OutOfStock(product.name, quantity, left, product.price);
		after.set(product.sku, left - quantity);
	}
	return after;
}

export function restock(stock: Stock, sku: string, pieces: number): Stock {
	return new Map(stock).set(sku, (stock.get(sku) ?? 0) + pieces);
}
