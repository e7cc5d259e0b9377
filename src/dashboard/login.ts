import { readLanguage } from './text/language.ts'
import { loginCopied, loginDe } from './text/login-texts.ts'

/** The page for visitors without a login. */
const command = document.getElementById('command')
const copy = document.getElementById('copy')
const used = document.getElementById('used')
const language = readLanguage()

if (language === 'de') translate()
if (used !== null) used.hidden = location.pathname !== '/login'
copy?.addEventListener('click', () => void copyCommand())

function translate(): void {
  document.documentElement.lang = 'de'
  for (const element of document.querySelectorAll<HTMLElement>('[data-text]')) {
    element.textContent = loginDe[element.dataset['text'] ?? ''] ?? element.textContent
  }
}

async function copyCommand(): Promise<void> {
  await navigator.clipboard.writeText(command?.textContent ?? '')
  if (copy !== null) copy.textContent = loginCopied[language]
}
