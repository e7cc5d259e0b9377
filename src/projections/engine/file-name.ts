import { hash } from 'node:crypto'

const allowed = /^[A-Za-z0-9._:-]{1,160}$/
/** Leaves room below the 255 bytes a name may have for an extension. */
const longest = 200

/**
 * The name an id has on disk. Undefined for an id no file may be named after. Only letters, digits, `.`, `_`
 * and `-` reach the disk as they are, and never a dot in front, so no name can lead out of its folder.
 */
export function fileName(id: string): string | undefined {
  if (!allowed.test(id)) return undefined
  const name = id.replaceAll(':', '%3A').replace(/^\./, '%2E')
  if (name.length <= longest) return name
  return `${name.slice(0, 120)}~${hash('sha256', id, 'hex').slice(0, 32)}`
}

/** `learning/x/<id>/y/<name>` with its places filled from a key such as `id/name`, in that order. */
export function filledPath(pattern: string, key: string): string | undefined {
  const places = pattern.match(placeholder)?.length ?? 0
  if (places === 0) return pattern
  const names = key.split('/').map(fileName)
  if (names.length !== places || names.includes(undefined)) return undefined
  return pattern.replaceAll(placeholder, () => names.shift() ?? '')
}

/** The folder a pattern's first place lies in; undefined for a pattern that names one file. */
export function ownedFolder(pattern: string): string | undefined {
  const place = pattern.search(placeholder)
  return place === -1 ? undefined : pattern.slice(0, pattern.lastIndexOf('/', place))
}

const placeholder = /<[a-z_]+>/g
