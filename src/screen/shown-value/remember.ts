/**
 * Keeps the results of a pure function for recent texts: many values are looked for in many labels again and again.
 * Long texts are rare and their results large: they are not kept.
 */
export function rememberRecent<T>(limit: number, build: (text: string) => T): (text: string) => T {
  const results = new Map<string, T>()
  return (text) => {
    const known = results.get(text)
    if (known !== undefined) return known
    const built = build(text)
    if (text.length > MAX_KEPT) return built
    if (results.size >= limit) results.clear()
    results.set(text, built)
    return built
  }
}

const MAX_KEPT = 200
