import { createBlockedTermMatcher } from '../recipes/check/literal-detectors.ts'

/** The place of a blocked term. The term itself is not reported. */
export interface BlockedPlace {
  readonly file: string
  readonly line: number
}

const MAX_PLACES = 20

export function findBlockedTerms(texts: ReadonlyMap<string, string>, terms: readonly string[]): BlockedPlace[] {
  if (terms.length === 0) return []
  const isBlocked = createBlockedTermMatcher(terms, [...texts.values()])
  const found: BlockedPlace[] = []
  for (const [file, text] of texts) {
    if (!isBlocked(text)) continue
    for (const [at, line] of text.split(/\r?\n/).entries()) {
      if (isBlocked(line)) found.push({ file, line: at + 1 })
      if (found.length === MAX_PLACES) return found
    }
  }
  return found
}
