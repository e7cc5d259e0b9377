/** The words of a text in the form in which they are compared: without case, diacritics, hyphens and leading zeros. */
export function splitWords(text: string): string[] {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll(/[’']s\b/gu, '')
    .replaceAll(/(?<=\p{L})-(?=\p{L})/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .map((word) => word.replace(/^0+(?=\d)/u, ''))
}

/** The share of the expected words that the actual words cover, from 0 to 1; 0 when nothing is expected. */
export function measureCoverage(expected: readonly string[], actual: readonly string[]): number {
  return expected.length === 0 ? 0 : listCovered(expected, actual).length / expected.length
}

/** False when nothing is expected. */
export const coversAll = (expected: readonly string[], actual: readonly string[]): boolean =>
  expected.length > 0 && listCovered(expected, actual).length === expected.length

/**
 * The expected words that are among the actual ones: in the same or another inflected form, as a compound of actual
 * words (`Küchenlicht` in "Küche: Licht"), or as a part of a compound whose other parts are expected too.
 */
export function listCovered(expected: readonly string[], actual: readonly string[]): string[] {
  const known = collectForms(actual)
  const wanted = collectForms(expected)
  const parts = new Set(
    actual
      .filter((word) => !listForms(word).some((form) => wanted.has(form)))
      .flatMap((word) => splitCompound(word, wanted)),
  )
  return expected.filter((word) => {
    const forms = listForms(word)
    return (
      forms.some((form) => known.has(form)) ||
      splitCompound(word, known).length > 0 ||
      forms.some((form) => parts.has(form))
    )
  })
}

/** Whether two words are forms of one word. */
export const isSameWord = (one: string, other: string): boolean => {
  const forms = new Set(listForms(one))
  return listForms(other).some((form) => forms.has(form))
}

/** The word without common endings of plurals and cases. Short words keep their vowels: `data` is not `date`. */
function listForms(word: string): string[] {
  const forms = [word]
  for (const ending of ENDINGS) {
    const stem = word.slice(0, -ending.length)
    if (word.endsWith(ending) && stem.length >= (ending === 's' ? 3 : 4)) forms.push(stem)
  }
  if (word.length >= 5 && word.endsWith('ies')) forms.push(`${word.slice(0, -3)}y`)
  if (word.length >= 4 && /(?:[sxz]|ch|sh)es$/u.test(word)) forms.push(word.slice(0, -2))
  return forms
}

const ENDINGS = ['s', 'n', 'e', 'a', 'o', 'i', 'en', 'es', 'as', 'os'] as const

function collectForms(words: readonly string[]): ReadonlySet<string> {
  return new Set(words.flatMap(listForms))
}

/** The parts of a word made of two or three known words; empty if it is not. Letters may link the parts. */
function splitCompound(word: string, known: ReadonlySet<string>, most = 3): string[] {
  if (most < 2) return []
  for (let at = MIN_PART; at <= word.length - MIN_PART; at += 1) {
    const first = word.slice(0, at)
    if (!known.has(first)) continue
    for (const link of LINKS) {
      if (!word.startsWith(link, at)) continue
      const rest = word.slice(at + link.length)
      if (rest.length >= MIN_PART && known.has(rest)) return [first, rest]
      const parts = splitCompound(rest, known, most - 1)
      if (parts.length > 0) return [first, ...parts]
    }
  }
  return []
}

const MIN_PART = 3
const LINKS = ['', 's', 'n', 'en', 'es', 'er', 'e'] as const
