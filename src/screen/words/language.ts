/** The languages of the word lists. */
export const LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'pl',
  'sv',
  'tr',
  'ru',
  'ja',
  'zh',
  'ko',
  'ar',
] as const
export type Language = (typeof LANGUAGES)[number]

/** The phrases of one meaning, by language, separated by commas. Lower case, without punctuation inside a phrase. */
export type PhraseTable = Readonly<Record<Language, string>>
