import { splitWords } from './goal/words.ts'

/** Words of buttons that open a form for a new item, in the shipped languages. */
const CREATE_WORDS = new Set(
  (
    'new add create compose neu neue neuer neues hinzufugen erstellen anlegen nouveau nouvelle ajouter creer nuevo nueva ' +
    'anadir agregar crear nuovo nuova aggiungi crea novo nova adicionar criar nieuw nieuwe toevoegen maken'
  ).split(' '),
)

/** Words of buttons that lead on without a change, or to a form for one. */
const OPENING_WORDS = new Set(
  (
    'edit change more menu options settings preferences advanced overview details drawer next previous keyboard pencil ' +
    'bearbeiten andern mehr weitere menu optionen einstellungen erweitert ubersicht nachster vorheriger tastatur ' +
    'modifier plus parametres reglages avances suivant precedent clavier ' +
    'editar cambiar mas opciones ajustes configuracion avanzado siguiente anterior teclado ' +
    'modifica altro opzioni impostazioni avanzate successivo precedente tastiera ' +
    'mudar mais opcoes definicoes configuracoes avancado proximo seguinte ' +
    'bewerken wijzigen meer opties instellingen geavanceerd volgende vorige toetsenbord'
  ).split(' '),
)

/** "Switch to text input mode for the time input", as pickers offer it. */
const TEXT_INPUT = /text input|texteingabe|saisie de texte|entrada de texto|inserimento testo|tekstinvoer/iu

const MAX_LABEL_WORDS = 4

const hasAnyWord = (label: string, words: ReadonlySet<string>): boolean => {
  const split = splitWords(label)
  return split.length <= MAX_LABEL_WORDS && split.some((word) => words.has(word))
}

export const isCreateLabel = (label: string): boolean => /^\s*[+＋]/u.test(label) || hasAnyWord(label, CREATE_WORDS)

export const isOpeningLabel = (label: string): boolean =>
  isCreateLabel(label) || hasAnyWord(label, OPENING_WORDS) || TEXT_INPUT.test(label)

const EDIT_WORDS = new Set(
  'edit change modify bearbeiten andern modifier editar cambiar modifica mudar alterar bewerken wijzigen'.split(' '),
)

export const isEditLabel = (label: string): boolean => hasAnyWord(label, EDIT_WORDS) || TEXT_INPUT.test(label)
