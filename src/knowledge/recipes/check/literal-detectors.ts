/** Whether a text holds something that belongs to somebody; `says` names it without repeating it. */
export interface Detector {
  readonly says: string
  readonly finds: (text: string) => boolean
}

const STREET_KINDS =
  'Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Court|Ct|Place|Pl|Boulevard|Blvd|Way|Terrace|Crescent|Close|Square'

/** Words that take an 's without being anybody's name. */
const NOT_NAMES = new Set(
  `today tomorrow yesterday what let it that here there who where how when he she everyone everybody
   somebody someone nobody week month year day season`.split(/\s+/),
)

export const DETECTORS: readonly Detector[] = [
  pattern('an e-mail address', /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63})+/),
  pattern('a phone number', /(?<![\w.])\+\d(?:[ ().-]{0,2}\d){6,14}(?!\d)/),
  { says: 'a phone number', finds: hasLocalNumber },
  pattern('a network address', /(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?(?![\w.])/),
  pattern(
    'a network address',
    /(?<![\w.-])(?:localhost|[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}):\d{2,5}(?!\w)/,
  ),
  pattern('a device serial', /\bemulator-\d+/i),
  pattern('a device address', /(?<![\w:])(?:[0-9A-F]{2}:){5}[0-9A-F]{2}(?![\w:])/i),
  { says: 'a device serial', finds: hasSerial },
  pattern(
    'a street address',
    new RegExp(
      String.raw`(?<![\w.])\d{1,5}[A-Za-z]?\s{1,3}(?:\p{Lu}\p{L}{1,30}\s{1,3}){1,3}(?:${STREET_KINDS})(?!\p{L})`,
      'u',
    ),
  ),
  pattern(
    'a street address',
    /(?<!\p{L})\p{Lu}\p{L}{2,30}(?:straße|strasse|weg|platz|gasse|allee)\s{1,3}\d{1,4}(?!\d)/u,
  ),
  { says: "somebody's name", finds: hasPossessive },
  pattern('a position', /(?<![\d.])-?\d{1,2}\.\d{3,10}\s{0,3},\s{0,3}-?\d{1,3}\.\d{3,10}(?!\d)/),
]

/**
 * A term is a word of its own if it looks like one, and any part of the text if not. Only terms that are
 * somewhere in `texts` at all are looked for in each.
 */
export function blockedTermFinder(
  terms: readonly string[],
  texts: readonly string[],
): (text: string) => boolean {
  const everything = texts.join('\n').toLowerCase()
  const wanted = terms
    .map((term) => term.trim().toLowerCase())
    .filter((term) => term !== '' && everything.includes(term))
  return (text) => {
    const lower = text.toLowerCase()
    return wanted.some((term) => holdsTerm(lower, term))
  }
}

/** One term per line; blank lines and those that begin with # say nothing. */
export function readBlockedTerms(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

function holdsTerm(text: string, term: string): boolean {
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

/** Groups of digits as numbers are dialled at home; a large amount has fewer digits, or more groups. */
function hasLocalNumber(text: string): boolean {
  const groups = /(?<![\w.-])(?:\(\d{2,4}\) ?|\d{2,4}[ -])\d{3,4}[ -]\d{3,4}(?![\w-])/g
  return (text.match(groups) ?? []).some((found) => found.replaceAll(/\D/g, '').length >= 9)
}

/** A whole text of the shape, or a word in one that changes between letters and digits more than once. */
function hasSerial(text: string): boolean {
  return text.split(/[^A-Za-z0-9]+/).some((word) => {
    const mixed = /^[A-Z0-9]{8,16}$/.test(word) && /[A-Z]/.test(word) && /\d/.test(word)
    const changes = word.match(/[A-Z](?=\d)|\d(?=[A-Z])/g)?.length ?? 0
    return mixed && (word === text.trim() || changes > 1)
  })
}

function pattern(says: string, expression: RegExp): Detector {
  return { says, finds: (text) => expression.test(text) }
}
