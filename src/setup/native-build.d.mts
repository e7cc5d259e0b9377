export function hasMatchingHeaders(prefix: string): boolean
