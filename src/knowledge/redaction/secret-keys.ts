const SECRET_ENDING =
  /(?:password|passwords|passwd|pwd|passphrase|passcode|secret|secrets|token|tokens|credential|credentials|apikey|apikeys)$/
const SECRET_WORDS = new Set(['authorization', 'bearer', 'cookie', 'cookies'])
/** Words that make a following `key` a secret. */
const SECRET_KEY_KINDS = new Set(['api', 'access', 'private', 'signing', 'encryption', 'auth', 'master'])
/** Words that make `token` a unit of text, not a secret. */
const COUNT_WORDS = new Set(['max', 'min', 'limit', 'count', 'budget'])

/** Whether a key names a secret, in any common spelling (`api_key`, `apiKey`, `X-Api-Key`). */
export function isSecretKey(key: string): boolean {
  const words = splitWords(key)
  const counted = words.some((word) => COUNT_WORDS.has(word))
  return words.some((word, at) => {
    if (SECRET_WORDS.has(word)) return true
    if (/^keys?$/.test(word)) return SECRET_KEY_KINDS.has(words[at - 1] ?? '')
    return SECRET_ENDING.test(word) && !(counted && /^tokens?$/.test(word))
  })
}

/** The dotted paths of all secret keys, at any depth. */
export function findSecretPaths(value: unknown, path: string): string[] {
  return listEntries(value).flatMap(([key, inner]) => {
    const keyPath = `${path}.${key}`
    return !Array.isArray(value) && isSecretKey(key) ? [keyPath] : findSecretPaths(inner, keyPath)
  })
}

/** The value with the values of all secret keys replaced. */
export function redactSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactSecrets)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, isSecretKey(key) ? '[redacted]' : redactSecrets(inner)]),
  )
}

const listEntries = (value: unknown): [string, unknown][] =>
  value !== null && typeof value === 'object' ? Object.entries(value) : []

function splitWords(key: string): string[] {
  return key
    .normalize('NFKC')
    .replaceAll(/(\p{Ll}|\d)(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\d]+/u)
    .filter((word) => word !== '')
}
