import { attribute, type UiNode } from '../../../screen/tree/hierarchy.ts'
import { listCells } from '../../../screen/structure/cells.ts'
import type { Intent } from '../read/intent.ts'
import { readText, resourceId } from '../read/node-text.ts'
import { type NormalizedTrace, type Pruned, toPruned } from '../read/normalized-trace.ts'
import { findIdentity, findRowAround, findRowByText } from '../read/rows.ts'
import { findNode, isSameState, isSameView, type Screen } from '../read/screen.ts'

/** Drops intents that led back to the same screen and changed nothing. */
export function dropDetours(trace: NormalizedTrace): NormalizedTrace {
  const pruned: Pruned[] = [...trace.pruned]
  let { intents } = trace
  for (let from = 0; from < intents.length; from += 1) {
    const to = findDetourEnd(intents, from)
    if (to === undefined) continue
    const detour = intents.slice(from, to + 1)
    pruned.push(toPruned(detour, 'detour', 'A way that led back and changed nothing'))
    intents = [...intents.slice(0, from), ...intents.slice(to + 1)]
    from -= 1
  }
  return { ...trace, intents, pruned }
}

function findDetourEnd(intents: readonly Intent[], from: number): number | undefined {
  const start = intents[from]?.before
  if (start === undefined) return undefined
  for (let to = intents.length - 1; to >= from; to -= 1) {
    const end = intents[to]?.after
    if (end === undefined || !isSameState(start, end)) continue
    const detour = intents.slice(from, to + 1)
    // A whole demonstration is never a detour.
    if (detour.length === intents.length || detour.length < 2) continue
    const context = { earlier: intents.slice(0, from), later: intents.slice(to + 1) }
    if (detour.every(({ pinned }) => pinned !== true) && hasNoEffect(detour, context)) return to
  }
  return undefined
}

interface DetourContext {
  readonly earlier: readonly Intent[]
  readonly later: readonly Intent[]
}

function hasNoEffect(detour: readonly Intent[], { earlier, later }: DetourContext): boolean {
  const changes = detour.filter(isChangeInPlace)
  if (changes.length === 0) return detour.every(isNavigation) && !changedOnTheWay(detour, earlier)
  if (changedElsewhere(detour, earlier)) return false
  if (detour.every(({ before, after }) => before && after && isSameView(before, after))) return true
  return changes.every((change) => wasDiscarded(change, detour, later))
}

/** Whether a screen of the detour differs from its last reading before the detour. */
function changedOnTheWay(detour: readonly Intent[], earlier: readonly Intent[]): boolean {
  return differFrom(earlier, listPassedScreens(detour))
}

/** The same for the screens other than the changed ones: a change there means that a form was saved. */
function changedElsewhere(detour: readonly Intent[], earlier: readonly Intent[]): boolean {
  const forms = detour
    .filter(isChangeInPlace)
    .map(({ before }) => before)
    .filter(isLoaded)
  const others = listPassedScreens(detour).filter((passed) => !forms.some((form) => isSameView(form, passed)))
  return differFrom(earlier, others)
}

function differFrom(earlier: readonly Intent[], screens: readonly Screen[]): boolean {
  const known = earlier.flatMap(({ before, after }) => [before, after]).filter(isLoaded)
  return screens.some((screen) => {
    const last = known.findLast((one) => isSameView(one, screen))
    return last !== undefined && !isSameState(last, screen)
  })
}

function listPassedScreens(detour: readonly Intent[]): Screen[] {
  return detour
    .slice(0, -1)
    .map(({ after }) => after)
    .filter(isLoaded)
}

function isLoaded(screen: Screen | undefined): screen is Screen {
  return screen !== undefined && !screen.is_loading
}

/** Opening a screen or going back. Confirming a dialog is more than navigation. */
function isNavigation({ kind, node, before }: Intent): boolean {
  if (kind === 'key' || kind === 'open_app') return true
  if (kind !== 'press') return false
  return before?.is_dialog !== true || (node !== undefined && isCancelButton(node))
}

function isCancelButton(node: UiNode): boolean {
  return resourceId(node) === 'android:id/button2' || CANCEL_LABELS.test(readText(node))
}

const CANCEL_LABELS = /^(?:cancel|no|close|back|not now|no thanks|later|abbrechen|nein|annuler|cancelar)$/iu

/** Whether an intent changed something on its screen: a field, a switch, an entry. */
function isChangeInPlace({ kind, before, after }: Intent): boolean {
  if (kind === 'type' || kind === 'adjust' || kind === 'toggle' || kind === 'date' || kind === 'slide') return true
  if (kind === 'swipe' || kind === 'move') return true
  if (before === undefined || after === undefined) return false
  return isSameView(before, after) && !isSameState(before, after)
}

/** Whether a later screen no longer shows a change, or its list entry still shows the old value. */
function wasDiscarded(change: Intent, detour: readonly Intent[], later: readonly Intent[]): boolean {
  const { before: form } = change
  const changed = change.adjustment?.value ?? change.toggled?.control ?? change.node
  if (changed === undefined || form === undefined) return false
  const old = describeValue(changed)
  const reopened = later.find(({ before }) => before && isSameView(before, form))
  const again = reopened?.before && findNode(reopened.before, changed.path)
  if (again !== undefined) return describeValue(again) === old
  const now = change.after && findNode(change.after, changed.path)
  const texts = readEntryAfter(detour)
  if (now === undefined || texts === undefined || describeValue(now) === old) return false
  return texts.includes(readText(changed)) && !texts.includes(readText(now))
}

function describeValue(node: UiNode): string {
  return `${readText(node)} ${attribute(node, 'checked')}`
}

/** The texts, after a detour, of the list entry that the detour opened. */
function readEntryAfter(detour: readonly Intent[]): string[] | undefined {
  const [first] = detour
  const row = first?.node && findRowAround(first.node)
  const name = row && findIdentity(row)
  const end = detour.at(-1)?.after
  if (name === undefined || end === undefined) return undefined
  const same = findRowByText(name.text, end)
  return same && listCells(same.node).map(({ text }) => text)
}
