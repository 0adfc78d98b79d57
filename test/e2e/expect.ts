// Playwright's expect, which asks again until the answer is right and then says what the last one was.
import { expect as playwright } from "playwright/test";

/** Milliseconds. */
export const expect = playwright.configure({ timeout: 60_000 });
