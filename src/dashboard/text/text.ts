import { type Catalogue, en } from './en.ts'
import { type Language, readLanguage } from './language.ts'

export { setLanguage } from './language.ts'

/** The texts in the chosen language. */
export let t: Catalogue = en

export const language: Language = readLanguage()

/** Loads the texts of the chosen language. Call it before anything is displayed. */
export async function loadText(): Promise<void> {
  document.documentElement.lang = language
  if (language === 'de') t = (await import('./de.ts')).de
}

/** The name of a wire value for people: `awaiting_questions` becomes "awaiting questions". */
export const formatName = (value: string): string => t.values[value] ?? value.replaceAll('_', ' ')
