/** Words that carry no subject. Several languages, because descriptions and requests come in several. */
const SMALL_WORDS = new Set(
  [
    'a an and any are as at be been both but by can could do does each for from get got had has have her his how i if in into is it its',
    'just like let lets make makes may me more most my new no not of off on one only onto or other our out over own per please same shall she',
    'should so some such than that the their them then there these they this those through to too under up upon us use used user users uses',
    'using very via want wants was we well were what when whenever where which while who why will with within without would you your yours',
    'also all about after again before between during e.g eg etc i.e ie including include includes e g needs need needed asks ask asked says',
    'say mentions mention mentioned request requests requested requesting task tasks skill skills when help helps guide provides provide',
    'allows allow enables enable supports support work works working handle handles handling various multiple based related existing current',
    'currently following given without either whether along across because set lot lots way ways thing things something anything someone',
    'der die das den dem des ein eine einen einem einer und oder mit von vom zu zum zur auf aus bei im in ist sind wie kann ich mir mein meine',
    'meinen bitte für auch nicht nur wenn dass es sie er wir du dein deine alle man wird werden soll sollen möchte will hat haben',
    'le la les un une des du de d et ou avec pour dans sur est sont comment puis je mon ma mes ce cette ces il elle on nous vous que qui quand',
    'si ne pas plus au aux en s l el los las unos unas y o con por para es son como puedo mi mis este esta estos quiero que cuando no del al',
  ].flatMap((line) => line.split(' ')),
)

/** Verbs that fit almost every skill. Alone they select nothing. */
const GENERIC_VERBS = new Set(
  'add analyze apply automate build change check configure control convert create debug delete deploy design develop edit extract find fix format generate get implement improve install list load manage manipulate modify open optimize plan process read record remove review run save scan search send set show start stop summarize test transform translate update upload validate verify view write'.split(
    ' ',
  ),
)

/** Nouns that fit almost every skill, and names of platforms that many skills share. */
const GENERIC_NOUNS = new Set(
  'action agent android apple google microsoft cloud device devices phone app application apps baseline best case code content current data details document documentation documents example examples feature features file files format formats home instructions interface item items main name option options output page pages practice practices process project projects quality report result results screen skeleton step steps structure style system text tool tools type types value values version workflow workflows'.split(
    ' ',
  ),
)

export const isSmallWord = (word: string): boolean => SMALL_WORDS.has(word)

export const isGenericVerb = (word: string): boolean => GENERIC_VERBS.has(toBaseForm(word))

/** Whether a word alone says what a skill is about. */
export const isSpecific = (word: string): boolean =>
  word.length >= 3 && !isSmallWord(word) && !isGenericVerb(word) && !GENERIC_NOUNS.has(word) && !/^\d+$/.test(word)

/** Runs of words in lower case, split at punctuation. Punctuation inside a word stays: `node.js`, `c++`, `e-mail`. */
export function splitClauses(text: string): string[][] {
  return text
    .toLowerCase()
    .replaceAll(/[’‘]/g, "'")
    .split(/[.,;:!?](?=\s|$)|[()[\]{}"“”„«»|—–\n\r\t]|\s-\s|(?<=\s)[/&+](?=\s)|[。、，；：！？]/u)
    .map((clause) => clause.split(/[\s/]+/).flatMap(toWord))
    .filter((words) => words.length > 0)
}

function toWord(raw: string): string[] {
  const word = raw.replace(/^[^\p{L}\p{N}.#]+/u, '').replace(/[^\p{L}\p{N}+#]+$/u, '')
  return word === '' ? [] : [word.replace(/'s$/, '')]
}

/** The words of a clause that carry its subject, in order. */
export const keepContent = (words: readonly string[]): string[] => words.filter((word) => !isSmallWord(word))

/** A word without the ending of a plural or of a verb form, as far as the ending shows it. */
export function toBaseForm(word: string): string {
  if (!/^[a-z]{4,}$/.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:ss|x|zz|ch|sh)es$/.test(word)) return word.slice(0, -2)
  if (/[^su]s$/.test(word)) return word.slice(0, -1)
  if (/^[a-z]{3,}ing$/.test(word) && word.length >= 6) return restoreVerb(word.slice(0, -3))
  return word
}

/** `resiz` becomes `resize`, `mapp` becomes `map`. */
function restoreVerb(stem: string): string {
  if (/([bdgmnprt])\1$/.test(stem)) return stem.slice(0, -1)
  return /(?:[aeiou][bcdgkmprstuvz]|rg|dl|bl|tl|ng|nc)$/.test(stem) && !/(?:ea|oo|ou|ai|ee)[a-z]$/.test(stem)
    ? `${stem}e`
    : stem
}

/** A word and the forms of it that a request is likely to use. */
export function listForms(word: string): string[] {
  const base = toBaseForm(word)
  if (!/^[a-z]{3,}$/.test(base)) return [word]
  const plural = /(?:s|x|z|ch|sh)$/.test(base)
    ? `${base}es`
    : /[^aeiou]y$/.test(base)
      ? `${base.slice(0, -1)}ies`
      : `${base}s`
  return [...new Set([word, base, plural])]
}
