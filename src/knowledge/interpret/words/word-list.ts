/** The words of a text in lower case. Words of scripts without spaces are cut as a dictionary has them. */
export function listWords(text: string): string[] {
  return Array.from(splitWords(text), ({ word }) => word)
}

/** The words of a text with their places. */
export function splitWords(text: string): { readonly word: string; readonly start: number; readonly end: number }[] {
  return Array.from(text.matchAll(WORD)).flatMap(({ 0: run, index }) => {
    if (!UNSPACED.test(run)) return [{ word: foldWord(run), start: index, end: index + run.length }]
    segmenter ??= new Intl.Segmenter('ja', { granularity: 'word' })
    return Array.from(segmenter.segment(run), ({ segment, index: at }) => ({
      word: foldWord(segment),
      start: index + at,
      end: index + at + segment.length,
    }))
  })
}

let segmenter: Intl.Segmenter | undefined

/** Letters with marks and digits; an apostrophe or a hyphen may stand inside. */
const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*(?:['’-][\p{L}\p{N}][\p{L}\p{M}\p{N}]*)*/gu
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

function foldWord(word: string): string {
  return word.normalize('NFKC').toLowerCase().replaceAll('’', "'")
}

/** Whether one word is another one with an ending: note and notes, archive and archived. */
export function isSameStem(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (short === long) return true
  const stem = short.replace(/[eay]$/u, '')
  return stem.length >= MIN_STEM && long.startsWith(stem) && long.length - stem.length <= MAX_ENDING
}

const MIN_STEM = 4
const MAX_ENDING = 3
