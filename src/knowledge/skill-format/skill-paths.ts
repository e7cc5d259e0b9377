/** Registries use slashes on every platform. */
export const toSlashes = (path: string): string => path.replaceAll('\\', '/')

/** True for a normalized relative path inside the root. */
export function isSafePath(path: string): boolean {
  const plain = toSlashes(path)
  if (plain === '' || plain.includes('\0')) return false
  if (plain.startsWith('/') || /^[A-Za-z]:/.test(plain)) return false
  return plain.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}
