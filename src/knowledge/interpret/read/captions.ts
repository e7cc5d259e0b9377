import { attribute, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { isMeasure } from '../../../screen/structure/mask-text.ts'
import { readName } from '../../../screen/structure/node-name.ts'
import { isStateWord } from '../../../screen/structure/state-words.ts'
import { listWords } from './goal.ts'
import { toSingular } from './node-text.ts'
import { isStructuralText } from './structural-text.ts'

/** A caption is short, has letters, and is neither a value nor a greeting nor the name of a person. */
export function isCaption(text: string): boolean {
  if (!/\p{L}{2}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return false
  if (listWords(text).length > 6) return false
  return isStructuralText(text) && !isMeasure(text) && !isStateWord(text) && !GREETING.test(text)
}

const GREETING =
  /^(?:hi|hello|hey|welcome|good (?:morning|afternoon|evening)|hallo|guten|bonjour|salut|hola|ciao|signed in|logged in)\b/iu

/** What a field or a group asks for: "Amount (EUR) *" asks for an amount, "Enter your name" for a name. May be empty. */
export function readRequest(text: string): string {
  const plain = dropMarks(readName(text))
  if (EXAMPLE.test(plain)) return ''
  const asked = plain.replace(REQUEST, '').trim().replace(LEADING_PREPOSITION, '').replace(ADDRESSED, '')
  const rest = takeHead(asked)
  const words = rest.split(' ')
  const last = words.at(-1) ?? ''
  return isSearch(plain) ? [...words.slice(0, -1), toSingular(last)].join(' ') : rest
}

/** Whether a text tells a person what to do: "Compose email", "What do you need?" */
export const isPrompt = (text: string): boolean => /[?？]\s*$/u.test(text) || REQUEST.test(dropMarks(readName(text)))

/** "to report" is a report. */
const LEADING_PREPOSITION = /^(?:to|for|in|by|into)\s+(?=\p{L})/iu

/** "How may we contact you?" is about the contact. */
const ADDRESSED = /(?<=\p{L})\s+(?:you|me|us)$/iu

/** "Title of the report" is a title, "Number of guests" are guests. */
function takeHead(text: string): string {
  const [, counted] = /^(?:number|amount|count) of (?:the )?(.+)$/iu.exec(text) ?? []
  return counted ?? text.replace(/(?<=\p{L}{3})\s+(?:of|for|für|von|des|der|du|del|della)\s+\p{L}.*$/iu, '')
}

/** "Search contacts" is for contacts. */
export const isSearch = (text: string): boolean => /^(?:search|find|suche|rechercher|buscar|cerca|zoek)/iu.test(text)

const EXAMPLE = /^(?:e\.? ?g\.?|for example|such as|z\. ?b\.|p\. ?ex\.|ej\.|example|beispiel|по?пример|例)(?!\p{L})/iu

const REQUEST = new RegExp(
  String.raw`^(?:please )?(?:start )?(?:${[
    "enter|type|typing|add|write|writing|compose|search(?: for| in)?|find|choose|select|pick|set|give|tap to (?:add|enter)|what(?: is|’s|'s)|how (?:many|much)|how (?:may|should|can|shall|do|would) (?:we|you|i)|(?:move|copy|assign|transfer) to|which|where|on which",
    'eingeben|gib|geben sie|suche(?: nach)?|wähle?n?(?: sie)?|saisir|saisissez|entrez|rechercher|choisir|choisissez|introduce|escribe|buscar|elige|inserisci|cerca|scegli|voer|zoek|kies',
  ].join(
    '|',
  )})(?:\s+|$)(?:in\s+)?(?:(?:a|an|the|your|some|ein|eine|einen|deinen?|ihren?|un|une|votre|una|tu|el|la|het|een|je)\s+)?`,
  'iu',
)

/** Without units, required marks and hints in brackets. */
function dropMarks(text: string): string {
  return text
    .replaceAll(/(?<!\s)\s*[([（【][^)\]）】]{0,200}[)\]）】]/gu, ' ')
    .replaceAll(/[*＊:：…?？]+/gu, ' ')
    .replace(
      /(?<![\s,–-])[\s,–-]+(?:optional|required|erforderlich|pflichtfeld|facultatif|obligatoire|opcional|obligatorio|opzionale|optioneel|verplicht)\s*$/iu,
      '',
    )
    .replace(UNIT, '')
    .replaceAll(/\s+/gu, ' ')
    .trim()
}

/** "Amount in €", "Weight kg" */
const UNIT =
  /(?<!\s)\s+(?:in\s+)?(?:\p{Sc}|%|(?:in\s+)(?:euros?|dollars?|pounds?|minutes|hours|percent)|EUR|USD|GBP|CHF|PLN|SEK|TRY|JPY|kg|lbs?|km|cm|mm|ml|kWh|°[CF]?)\s*$/u

/** "What is to be done?" asks without naming anything. */
export const isFieldCaption = (text: string): boolean =>
  isCaption(text) &&
  !/^(?:for|be|on|in|with|you|we|do|by|it|inside|of)\b|^(?:ask|tell|say|see|check|scan|use|tap|press)\s/iu.test(text)

/** An empty field shows its hint as its text. */
export function readHint(node: UiNode): string {
  const text = readName(attribute(node, 'text'))
  return isStructuralText(text) ? text : ''
}

/** A control that adds something: "New ticket". */
export const ADDING =
  /^(?:new|add(?: an?| new)?(?! to\b)|create(?: an?| new)?|neue[rs]?|nouve(?:au|lle)|nuev[oa]|nuov[oa]|nov[oa]|nieuwe?)\s+(\p{L}+(?: \p{L}+)?)$/iu
