export type Next = (limit: number) => number;
export function numbers(seed: number): Next;
export function hostileText(next: Next, most?: number): string;
export function readBack(shown: string): string;
export function readLine(line: string): string;
export const UNSEEN: RegExp;
