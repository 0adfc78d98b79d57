/** Beginnings of file names below test/unit that `npm run check` leaves out. */
export const THOROUGH: readonly string[];
