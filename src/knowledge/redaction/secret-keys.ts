const secretEnding =
  /(?:password|passwords|passwd|pwd|passphrase|passcode|secret|secrets|token|tokens|credential|credentials|apikey|apikeys)$/
const secretWords = new Set(['authorization', 'bearer', 'cookie', 'cookies'])
/** What kind of `key` is not to be shown. */
const keyKinds = new Set(['api', 'access', 'private', 'signing', 'encryption', 'auth', 'master'])
/** A token that is counted is a piece of text, not a secret. */
const counts = new Set(['max', 'min', 'limit', 'count', 'budget'])

/** Does this name, in any common spelling (`api_key`, `apiKey`, `X-Api-Key`), announce a secret? */
export function looksSecret(key: string): boolean {
  const words = wordsOf(key)
  const counted = words.some((word) => counts.has(word))
  return words.some((word, at) => {
    if (secretWords.has(word)) return true
    if (/^keys?$/.test(word)) return keyKinds.has(words[at - 1] ?? '')
    return secretEnding.test(word) && !(counted && /^tokens?$/.test(word))
  })
}

/** The places, at any depth, whose name announces a secret, as dotted paths. */
export function secretPaths(value: unknown, path: string): string[] {
  return childrenOf(value).flatMap(([key, inner]) => {
    const place = `${path}.${key}`
    return !Array.isArray(value) && looksSecret(key) ? [place] : secretPaths(inner, place)
  })
}

/** The same value with what stands under such names left out. */
export function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      looksSecret(key) ? '[redacted]' : withoutSecrets(inner),
    ]),
  )
}

const childrenOf = (value: unknown): [string, unknown][] =>
  value !== null && typeof value === 'object' ? Object.entries(value) : []

function wordsOf(key: string): string[] {
  return key
    .normalize('NFKC')
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '')
}
