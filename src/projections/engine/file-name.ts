import { hash } from 'node:crypto'

const ALLOWED_ID = /^[A-Za-z0-9._:-]{1,160}$/
/** A file name has at most 255 bytes. The rest is for the extension. */
const MAX_LENGTH = 200

/**
 * Converts an id to a file name. Returns undefined if the id contains characters that are not allowed. Letters, digits,
 * `.`, `_` and `-` are used as they are, except for a leading dot, so a name cannot leave its folder.
 */
export function toFileName(id: string): string | undefined {
  if (!ALLOWED_ID.test(id)) return undefined
  const name = id.replaceAll(':', '%3A').replace(/^\./, '%2E')
  if (name.length <= MAX_LENGTH) return name
  return `${name.slice(0, 120)}~${hash('sha256', id, 'hex').slice(0, 32)}`
}

/** Fills the placeholders of `learning/x/<id>/y/<name>` from a key such as `id/name`, in that order. */
export function fillPath(pattern: string, key: string): string | undefined {
  const count = pattern.match(PLACEHOLDER)?.length ?? 0
  if (count === 0) return pattern
  const names = key.split('/').map(toFileName)
  if (names.length !== count || names.includes(undefined)) return undefined
  return pattern.replaceAll(PLACEHOLDER, () => names.shift() ?? '')
}

/** Returns the folder that contains the first PLACEHOLDER. Returns undefined if the pattern has none. */
export function findOwnedFolder(pattern: string): string | undefined {
  const place = pattern.search(PLACEHOLDER)
  return place === -1 ? undefined : pattern.slice(0, pattern.lastIndexOf('/', place))
}

const PLACEHOLDER = /<[a-z_]+>/g
