/**
 * For each place of the text, how many characters from there on equal the start of the pattern (Z-algorithm). Linear in
 * both lengths. `meter.steps` counts comparisons.
 */
export function measurePrefixes(text: string, pattern: string, meter: { steps: number }): Int32Array {
  const joined = `${pattern}\u0000${text}`
  const lengths = new Int32Array(joined.length)
  for (let index = 1, left = 0, right = 0; index < joined.length; index++) {
    let length = index < right ? Math.min(right - index, lengths[index - left] ?? 0) : 0
    while (index + length < joined.length && joined[length] === joined[index + length]) {
      length++
      meter.steps++
    }
    meter.steps++
    lengths[index] = length
    if (index + length > right) [left, right] = [index, index + length]
  }
  return lengths.subarray(pattern.length + 1)
}

/** Whether the text from start to end is whole words: not inside a longer word, number, name or address. */
export function isWholeWords(text: string, start: number, end: number): boolean {
  return isFreeBefore(text, start, end) && isFreeBehind(text, start, end)
}

function isFreeBefore(text: string, start: number, end: number): boolean {
  const [first, before, beyond] = [text[start] ?? '', text[start - 1] ?? '', text[start - 2] ?? '']
  if (!isWordCharacter(first)) return true
  if (isWordCharacter(before)) return isUnspacedEdge(text, start, end - start)
  if (isDigit(first) && /[.,:'/-]/.test(before) && isDigit(beyond)) return false
  if (before === "'" && isWordCharacter(beyond)) return ELISION.test(text.slice(Math.max(0, start - 7), start))
  return !(/[-@._]/.test(before) && isWordCharacter(beyond))
}

/** `d'Ada`, `dell'ufficio` */
const ELISION = /(?:^|[^\p{L}])(?:[dlmtsnc]|qu|dell|all|nell|sull|dall)'$/u

function isFreeBehind(text: string, start: number, end: number): boolean {
  const [last, behind, beyond] = [text[end - 1] ?? '', text[end] ?? '', text[end + 1] ?? '']
  if (!isWordCharacter(last)) return true
  if (isWordCharacter(behind)) return isParticleBehind(text, end) || isUnspacedEdge(text, end, end - start)
  // An ellipsis hides the end of the word.
  if (behind === '@' || text.startsWith('...', end)) return false
  if (isDigit(last) && /[.,:'/-]/.test(behind) && isDigit(beyond)) return false
  // `Ann's`, `Ali'ye`
  if (behind === "'" && isWordCharacter(beyond)) return /^'\p{L}{1,4}(?!\p{L})/u.test(text.slice(end, end + 6))
  return !(/[-._]/.test(behind) && isWordCharacter(beyond))
}

function isWordCharacter(character: string): boolean {
  return character !== '' && /[\p{L}\p{M}\p{N}_]/u.test(character)
}

function isDigit(character: string): boolean {
  return /\p{Nd}/u.test(character)
}

/** Korean particles follow a name without a space. */
function isParticleBehind(text: string, end: number): boolean {
  return /^(?:에게|에게서|한테|님|님에게|님께|씨|을|를|이|가|은|는|의|에|에서|로|으로|와|과|도)(?!\p{L})/u.test(
    text.slice(end, end + 4),
  )
}

/** A change between letters of different kinds, or a border between words, in a script without spaces. */
function isUnspacedEdge(text: string, edge: number, length: number): boolean {
  const [left, right] = [readScript(text[edge - 1] ?? ''), readScript(text[edge] ?? '')]
  if (left !== right) return true
  if (left === undefined || length < 2) return false
  segmenter ??= new Intl.Segmenter('zh', { granularity: 'word' })
  const from = Math.max(0, edge - SEGMENT_REACH)
  const near = text.slice(from, edge + SEGMENT_REACH)
  return segmenter.segment(near).containing(edge - from)?.index === edge - from
}

/** The words within this distance are enough to find a border. */
const SEGMENT_REACH = 16
let segmenter: Intl.Segmenter | undefined

function readScript(character: string): string | undefined {
  if (/\p{Script=Han}/u.test(character)) return 'han'
  if (/\p{Script=Hiragana}/u.test(character)) return 'hiragana'
  if (/[\p{Script=Katakana}ー]/u.test(character)) return 'katakana'
  return /\p{Script=Thai}/u.test(character) ? 'thai' : undefined
}
