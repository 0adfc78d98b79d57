// Remembers what was computed for a string, a bounded number of times; starts over when full.

export function memoize<Value>(compute: (key: string) => Value, most = 512): (key: string) => Value {
	const known = new Map<string, Value>();
	return (key) => {
		if (known.has(key)) return known.get(key) as Value;
		if (known.size >= most) known.clear();
		const value = compute(key);
		known.set(key, value);
		return value;
	};
}
