import { isMenuRow } from '../../../screen/menu.ts'
import type { UiNode } from '../../../screen/tree/hierarchy.ts'
import { attribute, isTrue, subtree } from '../../../screen/tree/hierarchy.ts'
import type { Intent } from '../read/intent.ts'
import { findNodes, formatReference } from '../read/matching.ts'
import { formatName, readText } from '../read/node-text.ts'
import { type Entry, findIdentity, isDataRow, listRows } from '../read/rows.ts'
import { findScroller, isTextField, type Screen } from '../read/screen.ts'
import { locateEntry } from '../read/selectors.ts'
import { claimCounter } from './change-claims.ts'
import type { Claim } from './claims.ts'
import { controlClaims } from './control-claims.ts'
import type { Ending } from './ending.ts'
import { isOnlyTold } from './messages.ts'
import { isOffered } from './offered.ts'
import { type Proof, proveAsShown } from './proof.ts'

/** The best proof that the last screen offers. A message alone is followed by a look at what it is about. */
export function proveOnScreen(ending: Ending): Proof {
  const proof = findProof(ending)
  return { ...proof, claims: proof.claims.map((claim) => compareAdditions(claim, ending)) }
}

/** What earlier pages of the demonstration show as often, such as a list of suggestions, cannot be told by its number. */
function compareAdditions(claim: Claim, { end, earlier, examples }: Ending): Claim {
  if (claim.added !== true || claim.transient === true) return claim
  const countOn = (screen: Screen) => findNodes(screen, claim, examples).length
  // What is looked up after the work is on no screen of the demonstration.
  const isShown = Math.max(0, ...earlier.map(countOn)) >= Math.max(1, countOn(end))
  return isShown ? { ...claim, added: false } : claim
}

function findProof(ending: Ending): Proof {
  const proof = proveAsShown(ending)
  const [message] = proof.claims
  if (message === undefined) return proveByLookingAgain(ending) ?? proof
  if (!isOnlyTold(proof.claims)) return proof
  const [counter] = claimCounter(ending)
  if (counter !== undefined) return { ...proof, claims: [message, counter], strength: 4 }
  return proveAfterMessage(ending, message) ?? proof
}

/** If nothing on the last page shows a value, the run opens again the window in which it was set. */
function proveByLookingAgain(ending: Ending): Proof | undefined {
  const way = findWayBack(ending)
  if (way?.work.before === undefined || OPENING.has(way.work.kind) || !wasFilled(way.work)) return undefined
  const claims = controlClaims(way.work.before, ending)
  const isNews = claims.some((claim) => claim.inputs.length > 0)
  if (!isNews) return undefined
  return { claims, reopen: way.intents, end: ending.end, strength: 3, only_the_form: false }
}

/**
 * The proof of a workflow of which the demonstration showed a message only. The run looks at the thing itself after the
 * message: it searches the list for what was added, or opens again what the last press was made in. No screen of the
 * demonstration shows what is found there, so the claims are the weakest that tell: it is there, or it is not as it was.
 */
function proveAfterMessage(ending: Ending, message: Claim): Proof | undefined {
  const base = { end: ending.end, message, strength: 3, only_the_form: false }
  const added = claimAddedEntry(ending, message)
  if (added !== undefined) return { ...base, ...added }
  const way = findWayBack(ending)
  if (way === undefined || way.intents.some(isOfferInMenu)) return undefined
  const claims = claimOnReturn(way, ending)
  return claims.length === 0 ? undefined : { ...base, claims, reopen: way.intents }
}

/** After the work a menu may offer the opposite of what it offered: Unmute where Mute was. */
const isOfferInMenu = ({ node }: Intent): boolean => node !== undefined && isMenuRow(node)

/** The typed text is in the list of the last page, which the demonstration did not scroll to it. */
function claimAddedEntry(ending: Ending, message: Claim): Pick<Proof, 'claims' | 'entry'> | undefined {
  const { end } = ending
  const [first, ...others] = listTypedNames(ending, message)
  const row = listRows(end).find(
    (one) => isDataRow(one) && (one.group.scroller ?? findScroller(one.node)) !== undefined,
  )
  const cell = row && findIdentity(row)
  if (first === undefined || row === undefined || cell === undefined || hasSearch(ending)) return undefined
  const entry: Entry = { row, cell, input: first }
  const place = locateEntry(entry)
  const inputs = [first, ...others]
  const selector = { ...place.selector, part_equals: inputs.map(formatReference).join(' ') }
  const text = `The given ${formatName(first)} is in the list`
  return { entry, claims: [{ ...place, selector, check: { kind: 'present' }, inputs, text, added: true }] }
}

/** The typed text that names what was added: the texts that the message joins, otherwise the first. */
function listTypedNames({ intents, inputs, examples }: Ending, { node }: Claim): string[] {
  const typed = intents.flatMap(({ kind, input, typed: text }) =>
    kind === 'type' && text?.secret !== true ? (input ?? []) : [],
  )
  const names = inputs.flatMap(({ name, type, example = '' }) =>
    type === 'string' && typed.includes(name) && isName(example) ? [name] : [],
  )
  const said = node === undefined ? '' : readText(node)
  const readExample = (name: string) => examples.get(name) ?? ''
  for (const name of names) {
    const next = names.find((one) => said.includes(`${readExample(name)} ${readExample(one)}`))
    if (next !== undefined) return [name, next]
  }
  return names.slice(0, 1)
}

const isName = (text: string): boolean => /\p{L}{2}/u.test(text)

/** A typed text that the last page still shows in a field filters its list. */
function hasSearch({ inputs, end }: Ending): boolean {
  const shown = new Set(end.nodes.filter(isTextField).map(readText))
  return inputs.some(({ example = '' }) => example !== '' && shown.has(example))
}

interface WayBack {
  /** The intents that lead from the last page to where the work was done. */
  readonly intents: readonly Intent[]
  /** The first intent that changed something there. */
  readonly work: Intent
}

/** The last page was open before the work. From there it takes these intents to see again where the work was done. */
function findWayBack(ending: Ending): WayBack | undefined {
  const { intents } = ending
  const from = intents.findLastIndex((intent) => OPENING.has(intent.kind) && isOffered(intent, ending))
  if (from < 0) return undefined
  const to = intents.findIndex((intent, at) => at > from && (!OPENING.has(intent.kind) || at === intents.length - 1))
  const work = intents[to]
  const way = intents.slice(from, to)
  return work?.before === undefined || way.length === 0 ? undefined : { intents: way, work }
}

const OPENING: ReadonlySet<Intent['kind']> = new Set(['press', 'choose'])

function claimOnReturn({ work }: WayBack, ending: Ending): Claim[] {
  const { before, kind, entry } = work
  if (before === undefined) return []
  if (!OPENING.has(kind)) return wasFilled(work) ? controlClaims(before, ending) : []
  if (entry !== undefined) return claimOtherRow(work, entry, ending)
  // A window in which something can be ticked is a form: it offers the same again. So does a question.
  const isMenu = work.node !== undefined && isMenuRow(work.node)
  return before.is_dialog && isMenu && !before.nodes.some((node) => isTrue(node, 'checkable'))
    ? claimOtherOffer(work, ending)
    : []
}

/**
 * Whether the form showed a value before the work. An empty one is for something new and is empty again: a field without
 * more than its name, or options of which none was chosen.
 */
function wasFilled({ node, kind, before, choice }: Intent): boolean {
  if (kind === 'pick') return choice === undefined || choice.members.some(isChosen)
  if (kind !== 'type') return true
  if (node === undefined || before === undefined || !isTextField(node)) return false
  const shown = attribute(node, 'text').trim()
  return shown !== '' && shown !== attribute(node, 'hint').trim() && shown !== attribute(node, 'content-desc').trim()
}

function isChosen(member: UiNode): boolean {
  for (const one of subtree(member)) if (isTrue(one, 'selected') || isTrue(one, 'checked')) return true
  return false
}

/** The row of the chosen entry counts or says something else than before. */
function claimOtherRow({ before }: Intent, entry: Entry, { locate }: Ending): Claim[] {
  const counters = [...subtree(entry.row.node)].filter(
    (node) => node !== entry.cell.node && /\p{N}/u.test(readText(node)),
  )
  const [counter] = counters.filter((node) => node.children.length === 0)
  const place = counter && before && locate(counter, before, entry)
  if (counter === undefined || place === undefined) return []
  const text = `The given ${formatName(entry.input)} shows another number than before`
  return [{ ...place, check: { kind: 'changed', from: readText(counter) }, inputs: [entry.input], text, node: counter }]
}

/** The menu no longer offers what was pressed, and still offers something else. */
function claimOtherOffer({ node, before }: Intent, { locate, keepText }: Ending): Claim[] {
  const pressed = node && before && locate(node, before)
  if (node === undefined || before === undefined || pressed === undefined || pressed.selector.index !== undefined)
    return []
  const others = before.nodes.filter((one) => !isPartOf(one, node) && keepText(readText(one)) !== '')
  const places = others.flatMap((one) => locate(one, before) ?? [])
  const other = places.find(({ selector }) => selector.annotation === 'STRUCTURAL' && selector.index === undefined)
  if (other === undefined || pressed.selector.annotation !== 'STRUCTURAL') return []
  return [
    { ...other, check: { kind: 'present' }, inputs: [], text: 'The menu is open' },
    {
      ...pressed,
      check: { kind: 'absent', in_view: true },
      inputs: [],
      text: 'The menu no longer offers the same',
      node,
    },
  ]
}

const isPartOf = (one: UiNode, other: UiNode): boolean =>
  [...subtree(other)].includes(one) || [...subtree(one)].includes(other)
