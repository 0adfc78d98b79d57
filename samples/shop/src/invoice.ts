import { type Cart, discount, subtotal, total } from "./cart.ts";
import { type Currency, formatPrice } from "./money.ts";

export interface Invoice {
	number: number;
	customer: string;
	cart: Cart;
	currency?: Currency;
}

const width = 40;

function row(label: string, amount: string): string {
	return label.padEnd(width - amount.length) + amount;
}

/** The invoice as plain text, forty columns wide. */
export function printInvoice({ number, customer, cart, currency = "USD" }: Invoice): string {
	const lines = cart.map(({ product, quantity }) =>
		row(`${quantity} × ${product.name}`, formatPrice(product.price * quantity, currency)),
	);
	const saved = discount(cart);
	return [
		`Invoice ${number} for ${customer}`,
		"",
		...lines,
		"-".repeat(width),
		...(saved > 0 ? [row("Discount", formatPrice(-saved, currency))] : []),
		row("Total", formatPrice(total(cart), currency)),
		...(saved > 0 ? [`You paid ${formatPrice(total(cart), currency)} instead of ${formatPrice(subtotal(cart), currency)}.`] : []),
	].join("\n");
}
