/** The texts of the page for visitors without a login, which is English as it is delivered. */
export const loginCopied = { en: 'Copied', de: 'Kopiert' }

/** By the attribute `data-text` of the elements. */
export const loginDe: Readonly<Record<string, string>> = {
  title: 'Anmelden · Apprentice',
  used: 'Dieser Anmeldelink wurde schon benutzt oder ist abgelaufen. Hole einen neuen.',
  intro:
    'Die Oberfläche wird mit einem Anmeldelink geöffnet. Um einen zu bekommen, führe im Ordner von Apprentice dies aus:',
  copy: 'Kopieren',
  next: 'Öffne dann den Link, den der Befehl ausgibt. Er gilt einmal und 15 Minuten lang.',
  global: 'Wenn Apprentice global installiert ist, heißt der Befehl',
  terminal: 'Auch ein Daemon, der in einem Terminal gestartet wurde, hat einen Link ausgegeben.',
  followed: 'Bist du gerade einem Link gefolgt?',
  open: 'Oberfläche öffnen',
}
