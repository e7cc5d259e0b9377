import { type Catalogue, en } from './en.ts'

export type Language = 'en' | 'de'

const STORAGE_KEY = 'apprentice.language'

/** The texts in the chosen language. */
export let t: Catalogue = en

export const language: Language = chooseLanguage()

function chooseLanguage(): Language {
  const stored = localStorage.getItem(STORAGE_KEY) ?? navigator.language.slice(0, 2)
  return stored === 'de' ? 'de' : 'en'
}

/** Loads the texts of the chosen language. Call it before anything is displayed. */
export async function loadText(): Promise<void> {
  document.documentElement.lang = language
  if (language === 'de') t = (await import('./de.ts')).de
}

/** Stores the language and displays the page in it. */
export function setLanguage(next: Language): void {
  localStorage.setItem(STORAGE_KEY, next)
  location.reload()
}

/** The name of a wire value for people: `awaiting_questions` becomes "awaiting questions". */
export const formatName = (value: string): string => t.values[value] ?? value.replaceAll('_', ' ')
