export type Language = 'en' | 'de'

const STORAGE_KEY = 'apprentice.language'

/** The language that the person chose, else that of the browser. */
export function readLanguage(): Language {
  const known = localStorage.getItem(STORAGE_KEY) ?? navigator.language.slice(0, 2)
  return known === 'de' ? 'de' : 'en'
}

/** Stores the language and displays the page in it. */
export function setLanguage(next: Language): void {
  localStorage.setItem(STORAGE_KEY, next)
  location.reload()
}
