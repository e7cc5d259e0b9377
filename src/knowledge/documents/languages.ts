/** The names of languages that people use, by those of the files of tesseract. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  cs: 'ces',
  da: 'dan',
  de: 'deu',
  el: 'ell',
  en: 'eng',
  es: 'spa',
  fi: 'fin',
  fr: 'fra',
  it: 'ita',
  nb: 'nor',
  nl: 'nld',
  no: 'nor',
  pl: 'pol',
  pt: 'por',
  ru: 'rus',
  sv: 'swe',
  tr: 'tur',
  uk: 'ukr',
}
/** Reading with more languages takes longer and confuses their letters. */
const MOST_LANGUAGES = 3

/** The languages to read with. A hint for one that is not installed is ignored, and the others are used. */
export function chooseLanguages(
  hint: string | undefined,
  installed: readonly string[],
): { readonly languages: readonly string[]; readonly isHintIgnored: boolean } {
  const asked = (hint ?? '').split('+').filter((name) => name !== '')
  const known = asked.flatMap((name) => {
    const found = findLanguage(name, installed)
    return found === undefined ? [] : [found]
  })
  const isHintIgnored = known.length < asked.length
  const languages = known.length > 0 ? [...new Set(known)] : installed.toSorted(compareLanguages)
  return { languages: languages.slice(0, MOST_LANGUAGES), isHintIgnored }
}

function findLanguage(name: string, installed: readonly string[]): string | undefined {
  const plain = name.toLowerCase()
  const [short = ''] = plain.split(/[_-]/)
  return [plain.replaceAll('-', '_'), SHORT_NAMES[short] ?? short].find((one) => installed.includes(one))
}

/** English first: tesseract prefers the first language. */
const compareLanguages = (a: string, b: string): number => Number(b === 'eng') - Number(a === 'eng') || (a < b ? -1 : 1)

/** Reads `tesseract --list-langs`. `osd` and `equ` are no languages. */
export const parseLanguages = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /^[A-Za-z_]{2,40}$/.test(line) && line !== 'osd' && line !== 'equ')
    .toSorted()
