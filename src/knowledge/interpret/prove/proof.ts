import { readLabels } from '../../../screen/label-match.ts'
import { isTrue, subtree, type UiNode } from '../../../screen/tree/hierarchy.ts'
import type { Intent } from '../read/intent.ts'
import { type Entry, isDataRow, listRows } from '../read/rows.ts'
import { isSameKind, isSameView, isTextField, listAncestors, readTitle, type Screen } from '../read/screen.ts'
import { claimMovedValues } from './change-claims.ts'
import { type Claim, isClaimTrue } from './claims.ts'
import { controlClaims } from './control-claims.ts'
import { claimEarlierValues } from './earlier-values.ts'
import type { Ending } from './ending.ts'
import { isOnlyTold } from './messages.ts'
import { isOffered } from './offered.ts'
import { claimArrivedEntry, claimNamedEntry, claimOnPage } from './page-claims.ts'
import { claimRemoval, findEntryProof, findLostMark } from './row-claims.ts'
import { claimOtherStatus } from './status-claims.ts'
import {
  claimArrival,
  claimChangedLabels,
  claimChangedStates,
  claimEmptied,
  claimNewTexts,
  claimShownInputs,
  claimTitle,
  dropCovered,
} from './screen-claims.ts'

/** How a run can check that the workflow was done. */
export interface Proof {
  readonly claims: readonly Claim[]
  /** A list entry that must be scrolled into view first. */
  readonly entry?: Entry
  /** The intents that open again what shows the values: the entry, or where the work was done. */
  readonly reopen?: readonly Intent[]
  /** A message that the run must see before it looks. */
  readonly message?: Claim
  /** The screen on which the claims are true. */
  readonly end: Screen
  /** From 0 (no claims) to 6. Saved data counts more than a form. */
  readonly strength: number
  /** Only the form that was filled in supports the claims. */
  readonly only_the_form: boolean
}

/** The best proof that the last screen offers. */
export function proveAsShown(ending: Ending): Proof {
  const { end, examples } = ending
  const selectTrue = (claims: readonly Claim[]) => claims.filter((claim) => isClaimTrue(claim, end, examples))
  const compared = listCompared(ending)
  /** A claim that was true before the work proves nothing. */
  const selectTelling = (claims: readonly Claim[]) =>
    selectTrue(claims).filter(
      (claim) => !compared.some((screen) => isClaimTrue(claim, screen, examples)) && !isOfUnread(claim, ending),
    )
  const base = { end, only_the_form: false }
  const found = findEntryProof(ending)
  const claims = dropSorting(selectTelling(found?.claims ?? []), ending)
  const unproved = listUnproved(ending, claims)
  if (found !== undefined && claims.length > 0) {
    const proof = { ...base, claims: claims.slice(0, MAX_CLAIMS), entry: found.entry, strength: 6 }
    // What was opened to make a new entry does not keep the values.
    const isOpened = findOpening(ending)?.entry?.input === found.entry.input
    return unproved.length === 0 || !isOpened ? proof : (proveByReopening(ending) ?? proof)
  }
  const removals = claimRemoval(ending)
  if (removals.length > 0 && selectTrue(removals).length === removals.length) {
    return { ...base, claims: removals, strength: 6 }
  }
  // What the last screen shows of the inputs counts more than what another screen may show.
  const isShown = selectTelling(claimMovedValues(ending)).length > 0 || showsAll(unproved, ending, selectTelling)
  const reopened = unproved.length === 0 || isShown ? undefined : proveByReopening(ending)
  const proof = reopened ?? proveWithoutEntries(ending, selectTrue, selectTelling)
  if (proof.claims.length > 0 && !isOnlyTold(proof.claims)) return proof
  const lost = findLostMark(ending)
  const isTrueNow = lost?.claims.every((claim) => isClaimTrue(claim, end, examples)) === true
  return isTrueNow ? { ...base, ...lost, strength: 4 } : proof
}

/** Whether the last screen shows all values that were set, and did not before. What was ticked is no value. */
function showsAll(unproved: readonly Intent[], ending: Ending, selectTelling: Select): boolean {
  const values = unproved.flatMap(({ kind, input }) => (kind === 'toggle' ? [] : (input ?? [])))
  const lasting = selectTelling(keepLasting(claimShownInputs(ending).flat()))
  const shown = new Set(lasting.flatMap(({ inputs }) => inputs))
  return values.length > 0 && values.every((name) => shown.has(name))
}

/** A list that the app sorts may move an entry for other reasons. Its place counts if it was dragged or nothing else tells. */
function dropSorting(claims: readonly Claim[], { intents }: Ending): Claim[] {
  const others = claims.filter(
    ({ selector }) => selector.entry_position === undefined && selector.followed_by === undefined,
  )
  return others.length === 0 || intents.some(({ kind }) => kind === 'move') ? [...claims] : others
}

const MAX_CLAIMS = 6

/** All earlier screens; of the same page only its last reading before the work. */
function listCompared({ end, earlier }: Ending): readonly Screen[] {
  const same = earlier.findLast((screen) => isSameView(screen, end))
  return earlier.filter((screen) => screen === same || !isSameView(screen, end))
}

/**
 * Whether a claim is about what a page always shows: its parts, and the name of what was chosen. The page was still loading
 * when the work was done there, so nothing tells what it showed before.
 */
function isOfUnread({ inputs, transient }: Claim, ending: Ending): boolean {
  const chosen = new Set(ending.intents.flatMap(({ kind, entry }) => (kind === 'choose' ? (entry?.input ?? []) : [])))
  return transient !== true && inputs.every((name) => chosen.has(name)) && wasUnread(ending)
}

/** Whether all readings of the last page before the work were of a page that was still loading. */
function wasUnread({ earlier, end }: Ending): boolean {
  const title = readTitle(end)
  const readings = earlier.filter((screen) => title !== '' && readTitle(screen) === title)
  return readings.length > 0 && readings.every((screen) => screen.is_loading)
}

type Select = (claims: readonly Claim[]) => Claim[]

function proveWithoutEntries(ending: Ending, selectTrue: Select, selectTelling: Select): Proof {
  const { end } = ending
  const inputsShown = claimShownInputs(ending)
  const texts = selectTelling(claimNewTexts(ending))
  const told = [...selectShown(inputsShown.map(keepPassing), selectTelling), ...keepPassing(texts)]
  const controls = isStillOpen(ending) ? selectTrue(controlClaims(end, ending)) : []
  const shown = dropNamed(selectShown(inputsShown.map(keepLasting), selectTelling), controls, ending)
  const changed = selectTelling([...claimChangedLabels(ending), ...claimChangedStates(ending), ...claimEmptied(ending)])
  const isForm = controls.length > 0 && shown.length + changed.length === 0
  // A form that stays open after it was saved proves nothing without a message.
  const last = ending.intents.at(-1)
  const isSaved = ['press', 'choose'].includes(last?.kind ?? '')
  const messages = isForm && isSaved ? [...told, ...keepLasting(texts)] : []
  const only_the_form = isForm && messages.length === 0
  const claims = dropCovered([...shown, ...controls])
  if (claims.length > 0) {
    const titles = selectTrue(claimTitle(ending))
    // What else changed depends on the value that was set, unless a press changed it after that: then it is the outcome.
    const isFixed = last?.kind === 'press' || controls.every(({ check }) => check.kind === 'text')
    const fixed = isFixed ? changed.slice(0, 2) : []
    const more = shown.length > 0 ? told.filter(({ inputs }) => inputs.length > 0) : [...fixed, ...messages.slice(0, 1)]
    return {
      claims: dropCovered([...titles, ...claims, ...more, ...selectTrue(claimEarlierValues(ending))]).slice(
        0,
        MAX_CLAIMS,
      ),
      end,
      strength: 5,
      only_the_form,
    }
  }
  const weaker: readonly (readonly [readonly Claim[], number])[] = [
    [claimOnPage(inputsShown.flatMap(keepLasting), ending), 5],
    [selectTelling(claimMovedValues(ending)).slice(0, 2), 4],
    [withStatus(changed, texts).slice(0, 2), 4],
    [claimOnPage(claimChangedLabels(ending), ending), 4],
    [claimOnPage(claimOtherStatus(ending), ending), 4],
    [wasUnread(ending) ? [] : claimArrivedEntry(ending), 3],
    [selectTelling(claimTitle(ending)), 3],
    [keepLasting(texts).slice(0, 2), 3],
    [told.slice(0, 2), 3],
    [selectTelling(claimArrival(ending)), 2],
  ]
  for (const [proved, strength] of weaker) {
    if (proved.length === 0) continue
    return { claims: [...proved, ...claimNamedEntry(proved, ending)], end, strength, only_the_form: false }
  }
  return { claims: [], end, strength: 0, only_the_form: false }
}

/**
 * A text that only names the entry whose control was set says nothing about its state, which the control shows. A run
 * that finds the state as wanted sets nothing, and then the text does not appear.
 */
function dropNamed(shown: Claim[], controls: readonly Claim[], { intents }: Ending): Claim[] {
  const { kind, entry } = intents.at(-1) ?? {}
  if (kind !== 'toggle' || entry === undefined || controls.length === 0) return shown
  return shown.filter(({ inputs }) => inputs.some((name) => name !== entry.input))
}

const keepLasting = (claims: readonly Claim[]): Claim[] => claims.filter(({ transient }) => transient !== true)
const keepPassing = (claims: readonly Claim[]): Claim[] => claims.filter(({ transient }) => transient === true)

/**
 * Whether the form that was filled in is the one on the last screen: since then only its own buttons were pressed, and
 * those of questions about it. What another page or a window with entries or boxes did is not shown by the form.
 */
function isStillOpen({ intents, end }: Ending): boolean {
  const at = intents.findLastIndex(({ kind }) => SETTING_KINDS.has(kind))
  return intents.slice(at + 1).every(({ before }) => {
    if (before === undefined || isSameKind(before, end)) return true
    return before.is_dialog && !listRows(before).some(isDataRow) && !before.nodes.some(canBeSet)
  })
}

const SETTING_KINDS: ReadonlySet<Intent['kind']> = new Set(['adjust', 'toggle', 'date', 'pick', 'type', 'slide'])

/** A window with boxes to tick or fields to fill is no question about the form. */
const canBeSet = (node: UiNode): boolean => isTrue(node, 'checkable') || isTextField(node)

/** The new label of a button says what can be done next. A text that appeared with it says what was done. */
function withStatus(changed: readonly Claim[], texts: readonly Claim[]): readonly Claim[] {
  const [first] = changed
  if (first === undefined || !changed.every(({ node }) => isControl(node))) return changed
  const status = texts.find(({ transient, node }) => transient !== true && !isControl(node))
  return status === undefined ? changed : [first, status]
}

const isControl = (node: Claim['node']): boolean =>
  node !== undefined && [node, ...listAncestors(node)].some((one) => isTrue(one, 'clickable'))

/** Of the claims about one label, the first that tells. */
function selectShown(variants: readonly (readonly Claim[])[], selectTelling: Select): Claim[] {
  const found = variants.flatMap((claims) => selectTelling(claims).slice(0, 1))
  // A label tells more than a button that names what it acts on.
  const rank = ({ node }: Claim) => (node !== undefined && isTrue(node, 'clickable') ? 1 : 0)
  return dropCovered(found.toSorted((a, b) => b.inputs.length - a.inputs.length || rank(a) - rank(b)))
}

/** The intents that set values on a form which the last screen does not show. */
function listUnproved(ending: Ending, claims: readonly Claim[]): Intent[] {
  const proved = new Set(claims.flatMap(({ inputs }) => inputs))
  const choice = findOpening(ending)
  if (choice === undefined) return []
  return ending.intents
    .slice(ending.intents.indexOf(choice) + 1)
    .filter(({ kind }) => ['adjust', 'toggle', 'date', 'pick', 'type'].includes(kind))
    .filter(({ input, typed, before }) => {
      if (input === undefined || proved.has(input) || typed?.secret === true) return false
      return before !== undefined && !isSameView(before, ending.end)
    })
}

/** The tap that opened an entry of the list on the last screen. */
function findOpening({ intents, end, earlier }: Ending): Intent | undefined {
  return intents.find(({ kind, gesture, entry, before, after }) => {
    if (kind !== 'choose' || gesture !== 'tap' || entry === undefined || before === undefined) return false
    if (!isSameView(before, end)) return false
    const shared = countShared(end, before)
    // The pages of some apps have the same frame as their lists, so another one may be more like the last screen.
    const others = [...earlier, ...(after === undefined ? [] : [after])].filter((one) => isSameView(one, end))
    return others.every((one) => countShared(end, one) <= shared)
  })
}

/** How many labels outside lists two screens share. */
function countShared(one: Screen, other: Screen): number {
  const labels = new Set(listLabels(other))
  return listLabels(one).filter((label) => labels.has(label)).length
}

function listLabels(screen: Screen): string[] {
  const rows = listRows(screen).filter(isDataRow)
  const inRows = new Set(rows.flatMap(({ node }) => [...subtree(node)]))
  return screen.nodes.filter((node) => !inRows.has(node)).flatMap(readLabels)
}

/** The run opens the entry again. Its form shows the saved values. */
function proveByReopening(ending: Ending): Proof | undefined {
  const reopen = findOpening(ending)
  const form = reopen?.after
  if (reopen === undefined || form === undefined || !isOffered(reopen, ending)) return undefined
  const claims = controlClaims(form, ending)
  if (claims.length === 0) return undefined
  const titles = claimTitle({ ...ending, end: form })
  const { end } = ending
  return { claims: [...titles, ...claims], reopen: [reopen], end, strength: 5, only_the_form: false }
}
