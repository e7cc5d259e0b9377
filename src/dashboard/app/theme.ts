import { signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'

const STORAGE_KEY = 'apprentice.theme'

export const theme = signal<Theme>(readTheme())

function readTheme(): Theme {
  const stored = localStorage.getItem(STORAGE_KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function setTheme(next: Theme): void {
  theme.value = next
  localStorage.setItem(STORAGE_KEY, next)
  applyTheme()
}

/** The style sheet follows the system unless the page names a theme. */
export function applyTheme(): void {
  if (theme.value === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme.value
}
