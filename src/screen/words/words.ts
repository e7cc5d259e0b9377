import { AGREE_PHRASES } from './agree.ts'
import { DISMISS_PHRASES, WINDOW_NOUNS } from './dismiss.ts'
import { FAILURE_PHRASES } from './failure.ts'
import { LOADING_PHRASES } from './loading.ts'
import { OFFLINE_PHRASES } from './offline.ts'
import { buildIndex, findAt, type PhraseIndex, splitWords, toPlainText } from './phrase-index.ts'
import { PROGRESS_PHRASES } from './progress.ts'
import { WAITING_PHRASES } from './waiting.ts'

export type Meaning = 'dismiss' | 'agree' | 'failure' | 'waiting' | 'progress' | 'offline' | 'loading'

/** Whether a text contains a phrase of this meaning as whole words, in any of the languages. */
export function hasMeaning(text: string, meaning: Meaning): boolean {
  return findPhrase(text, meaning) !== undefined
}

/** The first phrase of this meaning in a text. A negated word ("no errors", "0 failed") does not count. */
export function findPhrase(text: string, meaning: Meaning): string | undefined {
  const plain = toPlainText(text)
  const symbol = SYMBOLS[meaning]?.exec(text)?.[0]
  // Beside digits, a clock or a sign belongs to a time or a value.
  if (symbol !== undefined && !/\p{N}/u.test(text)) return symbol
  const { phrases, joined, whole } = INDEXES[meaning]
  const words = splitWords(plain)
  for (const [at, word] of words.entries()) {
    const found = findAt(phrases, words, at)
    if (found !== undefined && !NEGATIONS.has(words[at - 1] ?? '')) return found.join(' ')
    // Several languages attach an article to the word.
    const bare = word.startsWith(ARABIC_ARTICLE) ? word.slice(ARABIC_ARTICLE.length) : ''
    if (bare !== '' && phrases.get(bare)?.some((phrase) => phrase.length === 1) === true) return bare
  }
  const all = words.join('')
  return joined.exec(plain)?.[0] ?? (whole.has(all) ? all : undefined)
}

/**
 * Whether a text says nothing but phrases of this meaning: "Not now", "Close dialog". "Close account" is not only a
 * dismissal.
 */
export function isOnlyMeaning(text: string, meaning: Meaning): boolean {
  const plain = toPlainText(text).trim()
  if (meaning === 'dismiss' && CLOSE_SYMBOLS.has(plain)) return true
  const { phrases, whole } = INDEXES[meaning]
  const words = splitWords(plain)
  if (isJoinedOnly(words.join(''), whole, meaning)) return true
  let found = false
  for (let at = 0; at < words.length;) {
    const phrase = findAt(phrases, words, at)
    const noun = meaning === 'dismiss' ? findAt(NOUNS.phrases, words, at) : undefined
    const covered = phrase ?? noun
    if (covered === undefined) return false
    found ||= phrase !== undefined
    at += covered.length
  }
  return found
}

/** The same for languages that are written without spaces: a phrase, or a phrase and a noun of the window. */
function isJoinedOnly(text: string, whole: ReadonlySet<string>, meaning: Meaning): boolean {
  if (whole.has(text)) return true
  if (meaning !== 'dismiss') return false
  return [...NOUNS.whole].some((noun) => text.includes(noun) && whole.has(text.replace(noun, '')))
}

const ARABIC_ARTICLE = '\u0627\u0644'
const CLOSE_SYMBOLS: ReadonlySet<string> = new Set(['x', '×', '✕', '✖', '✗', '✘', '⨯', '❌', '🗙', '╳'])

/** Words that turn the next word into its opposite. */
const NEGATIONS: ReadonlySet<string> = new Set(
  `no 0 zero without never not keine kein keinen ohne nie sans aucune aucun zéro sin ningún ninguna cero senza nessun
  nessuna sem nenhum nenhuma geen zonder bez żadnych brak inga inget ingen utan без нет ни بدون لا`.split(/\s+/),
)

/** Signs that stand for a status without a word. */
const SYMBOLS: Readonly<Partial<Record<Meaning, RegExp>>> = {
  failure: /[\u{26A0}\u{2757}\u{203C}\u{26D4}\u{1F6AB}]/u,
  waiting: /[\u{23F3}\u{231B}\u{1F550}-\u{1F567}]/u,
}

const INDEXES: Readonly<Record<Meaning, PhraseIndex>> = {
  dismiss: buildIndex(DISMISS_PHRASES),
  agree: buildIndex(AGREE_PHRASES),
  failure: buildIndex(FAILURE_PHRASES),
  waiting: buildIndex(WAITING_PHRASES),
  progress: buildIndex(PROGRESS_PHRASES),
  offline: buildIndex(OFFLINE_PHRASES),
  loading: buildIndex(LOADING_PHRASES),
}
const NOUNS = buildIndex(WINDOW_NOUNS)
