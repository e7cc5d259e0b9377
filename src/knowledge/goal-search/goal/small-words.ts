import { LANGUAGES, type Language, listVerbLanguages } from './verbs.ts'

/** Articles, pronouns and words of courtesy. They name nothing. */
const FILLERS: Readonly<Record<Language, string>> = {
  en:
    'a an the this that these those my your our its it is are be please kindly can could would will you i we want like ' +
    'need let lets me us some so just now also too then afterwards finally first both up here there id do to for new',
  de:
    'der die das den dem des ein eine einen einem einer eines mein meine meinen meinem meiner unser unsere dein deine ' +
    'bitte mal doch kannst konntest konnten konnen wurdest wurden du ich wir sie es mir mich uns mochte mochten will ' +
    'soll sollen ist sein jetzt gerne noch auch dann danach anschliessend zuerst zu dass neue neuen neuer neues neu',
  fr:
    'le la les l un une des du de d mon ma mes notre nos votre vos ce cet cette ces svp stp sil te plait vous tu je j ' +
    'nous moi on peux peut pouvez pourrais pourriez voudrais veux que qu maintenant aussi puis ensuite est sont ' +
    'nouveau nouvelle y s n c t m il',
  es:
    'el la los las lo un una unos unas mi mis nuestro nuestra tu su favor por puedes puede podrias podria quiero ' +
    'quisiera me nos yo que ahora tambien luego despues esta este es nuevo nueva',
  it:
    'il lo la i gli le l un uno una mio mia miei mie nostro nostra favore piacere per puoi puo potresti vorrei voglio ' +
    'mi ci io che ora adesso anche poi quindi dopo e nuovo nuova',
  pt:
    'o a os as um uma uns umas meu minha meus minhas nosso nossa favor por pode poderia podes voce quero queria ' +
    'gostaria me nos eu que agora tambem depois entao esta este novo nova',
  nl:
    'de het een mijn onze ons je jouw uw alstublieft alsjeblieft aub kun kan kunt wil wilt zou ik we u jij me mij graag ' +
    'nu even ook dan daarna vervolgens is nieuwe nieuw',
}

/** Prepositions that lead to a value: "to 21", "auf 21", "sur Auto". */
const VALUE_PREPOSITIONS: Readonly<Record<Language, string>> = {
  en: 'to at as',
  de: 'auf um',
  fr: 'a sur en',
  es: 'a en',
  it: 'a su',
  pt: 'para em a',
  nl: 'op naar om',
}

/** Prepositions that lead to a place or a container: "in the kitchen", "zur Einkaufsliste". */
const PLACE_PREPOSITIONS: Readonly<Record<Language, string>> = {
  en: 'in into on onto to of from inside under within for with',
  de: 'in im ins an am ans auf zu zur zum von vom aus bei beim unter fur mit',
  fr: 'dans a au aux sur en de du des chez pour avec',
  es: 'en a al del de para con',
  it: 'in nel nella nello nei nelle nell a al alla allo ai alle all su sul sulla sulle di del della dello dei delle dell per con',
  pt: 'em no na nos nas a ao aos do da dos das de para com num numa',
  nl: 'in op aan van bij naar voor met uit',
}

const CONNECTORS: Readonly<Record<Language, string>> = {
  en: 'and then plus',
  de: 'und dann danach anschliessend sowie',
  fr: 'et puis ensuite',
  es: 'y luego despues',
  it: 'e ed poi quindi',
  pt: 'e depois entao',
  nl: 'en dan daarna vervolgens',
}

const NEGATIONS = new Set('not dont never nicht kein keine keinen nie ne n no non nao niet geen'.split(' '))

const isIn = (lists: Readonly<Record<Language, string>>): ((word: string) => boolean) => {
  const words = new Set(LANGUAGES.flatMap((language) => lists[language].split(' ')))
  return (word) => words.has(word)
}

/** Prepositions of what belongs to something. They lead to no other place: "liste de courses". */
const OWNER_PREPOSITIONS = new Set(
  'of de du des d von vom van di del della dello dei delle dell da do dos das'.split(' '),
)
/** They lead to where something is put, rather than to where it is. */
const TARGET_PREPOSITIONS = new Set(
  'to into onto zu zur zum auf a au aux al alla allo ai alle all ao aos aan op naar'.split(' '),
)
const CLEAR_VALUE_PREPOSITIONS = new Set('to auf sur op para su'.split(' '))

export const isValuePreposition = isIn(VALUE_PREPOSITIONS)
/** Whether words behind a preposition may be a value. In an unknown language only some prepositions say so. */
export const leadsToWords = (word: string, language: Language | undefined): boolean =>
  language === undefined ? CLEAR_VALUE_PREPOSITIONS.has(word) : hasWord(VALUE_PREPOSITIONS[language], word)
export const isOwnerPreposition = (word: string): boolean => OWNER_PREPOSITIONS.has(word)
export const isTargetPreposition = (word: string): boolean => TARGET_PREPOSITIONS.has(word)
export const isPlacePreposition = isIn(PLACE_PREPOSITIONS)
export const isPreposition = (word: string): boolean => isValuePreposition(word) || isPlacePreposition(word)
export const isNegation = (word: string): boolean => NEGATIONS.has(word)

const isFillerWord = isIn(FILLERS)
export const isFiller = (word: string): boolean => isFillerWord(word) || isPreposition(word)

/** `en` joins clauses in Dutch only; in French and Spanish it is a preposition. The same holds for `e` and `y`. */
export function isConnector(word: string, language: Language | undefined): boolean {
  if (language !== undefined && hasWord(CONNECTORS[language], word)) return true
  return LANGUAGES.some((one) => !AMBIGUOUS_CONNECTORS.has(word) && hasWord(CONNECTORS[one], word))
}

const AMBIGUOUS_CONNECTORS: ReadonlySet<string> = new Set(['en', 'e', 'y', 'dan', 'plus'])

/** The language most words of which are in the lists; undefined if none leads. The order of the words does not count. */
export function guessLanguage(words: readonly string[]): Language | undefined {
  const scores = LANGUAGES.map((language) => ({ language, score: scoreLanguage(words, language) }))
  const [best, next] = scores.toSorted((a, b) => b.score - a.score)
  return best !== undefined && best.score > (next?.score ?? 0) ? best.language : undefined
}

function scoreLanguage(words: readonly string[], language: Language): number {
  const lists = [FILLERS, VALUE_PREPOSITIONS, PLACE_PREPOSITIONS, CONNECTORS].map((list) => list[language])
  return words.filter((word) => lists.some((list) => hasWord(list, word)) || listVerbLanguages(word).includes(language))
    .length
}

const hasWord = (list: string, word: string): boolean => list.split(' ').includes(word)
