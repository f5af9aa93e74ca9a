/** Nothing of such a file is quoted anywhere. */
export const holdsSecret = (text: string): boolean => /kind\\?["']?\s*:\s*\\?["']?Secret\b/.test(text);
