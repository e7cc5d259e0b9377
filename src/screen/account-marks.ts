import { createHash } from 'node:crypto'
import { attribute, type UiNode } from './tree/hierarchy.ts'
import { readLabels } from './label-match.ts'
import { findStructure } from './row-around.ts'
import { maskText } from './structure/mask-text.ts'

/** A text that names the person who is signed in, as hashes: the words around the name, and the name. */
export interface AccountMark {
  readonly frame: string
  readonly name: string
}

/**
 * Finds who is signed in: an e-mail address, a greeting with a name, "Anna's home", "Signed in as Anna". Texts of list
 * entries and of text fields name others. `only_sure`: on a page about an entry, "opened by Anna" names no account. The hashes are salted with the package and too short to be turned back.
 */
export function listAccountMarks(nodes: readonly UiNode[], { only_sure = false } = {}): AccountMark[] {
  const marks = new Map<string, AccountMark>()
  let greeting = ''
  for (const node of nodes) {
    if (/EditText/.test(attribute(node, 'class'))) continue
    for (const line of readLabels(node).flatMap((label) => label.split(/[\r\n]+/u))) {
      // A greeting may stand above the name, and what the person is in brackets behind it.
      const text = line.replace(/(?<!\s)\s*\([^()]*\)\s*$/u, '')
      const found = findName(greeting === '' ? text : `${greeting} ${text.trim()}`)
      greeting = GREETING_ALONE.test(line.trim()) ? line.trim() : ''
      if (found === undefined || (!found.is_sure && (only_sure || isInDataRow(node)))) continue
      const salt = attribute(node, 'package')
      const frame = hash(salt, maskText(found.frame))
      const beside = found.is_owner ? markPlace(node) : undefined
      for (const mark of [{ frame, name: hash(salt, found.name.toLowerCase()) }, beside]) {
        if (mark !== undefined) marks.set(`${mark.frame} ${mark.name}`, mark)
      }
    }
  }
  return [...marks.values()]
}

/**
 * The owner of the page, known by the heading above it: "Timers" with "Nora's kitchen" below. Another owner may be named
 * in other words, such as "Café Nord".
 */
function markPlace(node: UiNode): AccountMark | undefined {
  const siblings = node.parent?.children ?? []
  const above = siblings[siblings.indexOf(node) - 1]
  const [heading = '', owner = ''] = [above, node].map((one) => (one === undefined ? '' : readLabels(one).join(' ')))
  if (above === undefined || above.children.length + node.children.length > 0) return undefined
  if (heading.trim() === '' || !LIKE_A_NAME.test(owner.trim())) return undefined
  const salt = attribute(node, 'package')
  return { frame: hash(salt, `above ${maskText(heading)}`), name: hash(salt, owner.trim().toLowerCase()) }
}

/** A few words that begin with a capital letter, without figures and without the end of a sentence. */
const LIKE_A_NAME = /^\p{Lu}[\p{L}\p{M}'’-]*(?: [\p{L}\p{M}'’&-]+){0,3}$/u

/** A mark with a known frame and another name: somebody else is signed in. */
export function findOtherAccount(nodes: readonly UiNode[], known: readonly AccountMark[]): AccountMark | undefined {
  const names = new Map<string, Set<string>>()
  for (const { frame, name } of known) names.set(frame, (names.get(frame) ?? new Set()).add(name))
  const places = nodes.flatMap((node) => (isInDataRow(node) ? [] : (markPlace(node) ?? [])))
  return [...listAccountMarks(nodes), ...places].find(({ frame, name }) => names.get(frame)?.has(name) === false)
}

function isInDataRow(node: UiNode): boolean {
  const structure = findStructure(node)
  const row = structure.findRow(node)
  return row !== undefined && structure.classify(row.group) === 'data' && row.group.members.length > 1
}

const NAME = String.raw`(\p{Lu}[\p{L}\p{M}'’-]+(?: \p{Lu}[\p{L}\p{M}'’.-]*){0,2})`
const GREETINGS =
  'hi|hello|hey|welcome(?: back)?|good (?:morning|afternoon|evening|day)|hallo|guten (?:tag|morgen|abend)|willkommen|moin|servus|bonjour|bonsoir|salut|hola|buenos días|buenas tardes|ciao|buongiorno|olá|bom dia|hoi|dag|goedemorgen|hej|cześć|merhaba|привет|здравствуйте'
const ACCOUNT_WORDS =
  'signed in|account(?: of)?|profile(?: of)?|user|member|patient|driver|customer|konto(?: von)?|benutzer|compte de|cuenta de|utente'

const GREETING_ALONE = new RegExp(String.raw`^(?:${GREETINGS})[,!]?$`, 'iu')
const SIGNED_IN =
  'signed in as|logged in as|ordering as|posting as|sending as|booked as|shopping as|learning as|angemeldet als|connecté en tant que|sesión de|collegato come|aangemeld als'

const OWNER = new RegExp(String.raw`^${NAME}['’]s (?=\p{L})`, 'u')

/** In a list entry, only the first pattern names the person who is signed in. */
const PATTERNS: readonly RegExp[] = [
  // A user name may begin with a small letter.
  new RegExp(String.raw`(?:^|[^\p{L}])(?:${SIGNED_IN}):? +(?:${NAME}(?![\w.@-])|(\p{L}[\w.@+-]*))`, 'iu'),
  /([\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4})/u,
  new RegExp(String.raw`^(?:${GREETINGS})[,!]? +${NAME}`, 'iu'),
  new RegExp(String.raw`(?:^|[^\p{L}])(?:${ACCOUNT_WORDS}):? +${NAME}`, 'iu'),
  OWNER,
  new RegExp(String.raw`(?<=\p{L}) (?:of|as|by|von|de|di|van|for|für) ${NAME}$`, 'u'),
]

const MAX_LENGTH = 120

interface FoundName {
  readonly frame: string
  readonly name: string
  readonly is_sure: boolean
  /** The text names the owner of the page: "Nora's kitchen". */
  readonly is_owner: boolean
}

function findName(line: string): FoundName | undefined {
  const text = line.trim()
  if (text === '' || text.length > MAX_LENGTH) return undefined
  for (const [at, pattern] of PATTERNS.entries()) {
    const match = pattern.exec(text)
    const name = match?.[1] ?? match?.[2]
    // With the flag `i`, a name may start with a small letter; it is no name then, unless it is a user name.
    if (name === undefined || (at > 0 && !/^\p{Lu}|@/u.test(name))) continue
    return { frame: text.replace(name, '*'), name, is_sure: at === 0, is_owner: pattern === OWNER }
  }
  return undefined
}

const hash = (salt: string, text: string): string =>
  createHash('sha256').update(`${salt}\n${text}`).digest('hex').slice(0, 12)
