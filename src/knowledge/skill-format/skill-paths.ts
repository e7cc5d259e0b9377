/** A path as registries write it: with slashes, whatever system wrote it. */
export const plainPath = (path: string): string => path.replaceAll('\\', '/')

/** Whether a path of a registry stays below the root it belongs to. */
export function isSafePath(path: string): boolean {
  const plain = plainPath(path)
  if (plain === '' || plain.includes('\0')) return false
  if (plain.startsWith('/') || /^[A-Za-z]:/.test(plain)) return false
  return plain.split('/').every((part) => part !== '' && part !== '.' && part !== '..')
}
