/** Detects one kind of personal data. `name` is used in messages instead of the text itself. */
export interface Detector {
  readonly name: string
  readonly matches: (text: string) => boolean
}

const STREET_KINDS =
  'Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Boulevard|Blvd|Way|Terrace|Crescent|Close|Square'

/** Words that can precede 's without being a name. */
const NOT_NAMES = new Set(
  `today tomorrow yesterday what let it that here there who where how when he she everyone everybody
   somebody someone nobody week month year day season`.split(/\s+/),
)

export const DETECTORS: readonly Detector[] = [
  fromPattern('an e-mail address', /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/),
  fromPattern('a phone number', /(?<![\w.])\+\d(?:[ ().-]{0,2}\d){6,14}(?!\d)/),
  { name: 'a phone number', matches: hasLocalNumber },
  fromPattern('a network address', /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?![\w.])/),
  fromPattern('a network address', /(?<![\w.-])(?:localhost|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}):\d{2,5}(?!\w)/),
  fromPattern('a device serial', /\bemulator-\d+/i),
  fromPattern('a device address', /(?<![\w:])(?:[0-9A-F]{2}:){5}[0-9A-F]{2}(?![\w:])/i),
  { name: 'a device serial', matches: hasSerial },
  fromPattern(
    'a street address',
    new RegExp(
      String.raw`(?<![\w.])\d{1,5}[A-Za-z]?\s{1,3}(?:\p{Lu}\p{L}{1,30}\s{1,3}){1,3}(?:${STREET_KINDS})(?!\p{L})`,
      'u',
    ),
  ),
  fromPattern(
    'a street address',
    /(?<!\p{L})\p{Lu}\p{L}{2,30}(?:straße|strasse|weg|platz|gasse|allee)\s{1,3}\d{1,4}(?!\d)/u,
  ),
  { name: "a person's name", matches: hasPossessive },
  fromPattern('a position', /(?<![\d.])-?\d{1,2}\.\d{3,10}\s{0,3},\s{0,3}-?\d{1,3}\.\d{3,10}(?!\d)/),
]

/**
 * A term that is a word matches whole words only, any other term matches anywhere. For speed, terms that do not occur in
 * any of `texts` are skipped.
 */
export function createBlockedTermMatcher(
  terms: readonly string[],
  texts: readonly string[],
): (text: string) => boolean {
  const allTexts = texts.join('\n').toLowerCase()
  const relevant = terms
    .map((term) => term.trim().toLowerCase())
    .filter((term) => term !== '' && allTexts.includes(term))
  return (text) => {
    const lower = text.toLowerCase()
    return relevant.some((term) => containsTerm(lower, term))
  }
}

/** One term per line. Blank lines and lines that start with # are ignored. */
export function readBlockedTerms(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

function containsTerm(text: string, term: string): boolean {
  const isWord = /^[a-z][a-z0-9_-]*$/.test(term)
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + 1)) {
    if (!isWord) return true
    const around = [text[at - 1] ?? ' ', text[at + term.length] ?? ' ']
    if (around.every((char) => !/\w/.test(char))) return true
  }
  return false
}

function hasPossessive(text: string): boolean {
  return [...text.matchAll(/(?<![\p{L}\p{N}])(\p{Lu}\p{L}{1,40})['’]s(?![\p{L}\p{N}])/gu)].some(
    ([, name = '']) => !NOT_NAMES.has(name.toLowerCase()),
  )
}

/** Groups of digits as in a local phone number. Large amounts have fewer digits or more groups. */
function hasLocalNumber(text: string): boolean {
  const groups = /(?<![\w.-])(?:\(\d{2,4}\) ?|\d{2,4}[ -])\d{3,4}[ -]\d{3,4}(?![\w-])/g
  return (text.match(groups) ?? []).some((found) => found.replaceAll(/\D/g, '').length >= 9)
}

/** The whole text is a serial, or one of its words alternates between letters and digits more than once. */
function hasSerial(text: string): boolean {
  return text.split(/[^A-Za-z0-9]+/).some((word) => {
    const mixed = /^[A-Z0-9]{8,16}$/.test(word) && /[A-Z]/.test(word) && /\d/.test(word)
    const changes = word.match(/[A-Z](?=\d)|\d(?=[A-Z])/g)?.length ?? 0
    return mixed && (word === text.trim() || changes > 1)
  })
}

function fromPattern(name: string, expression: RegExp): Detector {
  return { name, matches: (text) => expression.test(text) }
}
