/** The spelling of a key in the normalized header. */
export const normalizeKey = (key: string): string =>
  key
    .trim()
    .toLowerCase()
    .replaceAll(/[-\s]+/g, '_')
