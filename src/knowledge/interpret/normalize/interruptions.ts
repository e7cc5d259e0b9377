import { type Intent, isTap } from '../read/intent.ts'
import { type Dismissal, type NormalizedTrace, toPruned } from '../read/normalized-trace.ts'
import { isSameKind, isSameState, type Screen } from '../read/screen.ts'
import { isAppStart } from './launches.ts'

/** Drops the closing of windows that appeared on their own. The recipe gets dismissals for them. */
export function dropInterruptions(trace: NormalizedTrace): NormalizedTrace {
  const intents: Intent[] = []
  const pruned = [...trace.pruned]
  const dismissals = [...trace.dismissals]
  let at = 0
  while (at < trace.intents.length) {
    const end = findInterruptionEnd(trace.intents, at)
    if (end === undefined) {
      intents.push(trace.intents[at] as Intent)
      at += 1
      continue
    }
    const closing = trace.intents.slice(at, end + 1)
    pruned.push(toPruned(closing, 'dialog_dismissed', 'A window that appeared on its own was closed'))
    dismissals.push(...toDismissals(closing))
    const previous = intents.pop()
    const below = trace.intents[end]?.after
    if (previous !== undefined) intents.push({ ...previous, after: below ?? previous.after })
    at = end + 1
  }
  return { intents, pruned, dismissals }
}

function toDismissals(closing: readonly Intent[]): Dismissal[] {
  const last = closing.at(-1)
  if (last === undefined || !isTap(last)) return []
  const { node, before } = last
  return node === undefined || before === undefined ? [] : [{ screen: before, node }]
}

/** The index of the last intent of an interruption that starts at an index. */
function findInterruptionEnd(intents: readonly Intent[], at: number): number | undefined {
  const [previous, first] = [intents[at - 1], intents[at]]
  const window = first?.before
  if (first === undefined || window === undefined || !window.is_dialog) return undefined
  if (previous === undefined || !appearedOnItsOwn(previous, window)) return undefined
  let end = at
  while (isOnWindow(intents[end + 1], window)) end += 1
  const closing = intents.slice(at, end + 1)
  if (closing.some((one) => one.pinned === true || (!isTap(one) && one.kind !== 'key'))) {
    return undefined
  }
  const below = intents[end]?.after
  if (below === undefined || below.is_dialog) return undefined
  return isBack(previous, below) ? end : undefined
}

function isOnWindow(intent: Intent | undefined, window: Screen): boolean {
  const screen = intent?.before
  return screen !== undefined && screen.is_dialog && isSameKind(screen, window)
}

/** Whether a window was missing right after the previous intent, or belongs to another app. */
function appearedOnItsOwn(previous: Intent, window: Screen): boolean {
  if (isAppStart(previous)) return true
  const seen = previous.first_after
  if (seen === undefined) return false
  if (seen.package !== window.package && seen.package !== '') return true
  return !seen.is_loading && !seen.is_dialog
}

/** Whether the screen below the window is the one after the previous intent. */
function isBack(previous: Intent, below: Screen): boolean {
  if (isAppStart(previous)) return true
  return previous.first_after !== undefined && isSameState(previous.first_after, below)
}
