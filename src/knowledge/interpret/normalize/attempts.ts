import { isSameAction } from '../align/alignment.ts'
import { type Intent, isTap } from '../read/intent.ts'
import { readText, resourceId } from '../read/node-text.ts'
import { type NormalizedTrace, type Pruned, toPruned } from '../read/normalized-trace.ts'
import { isSameView, type Screen } from '../read/screen.ts'

/**
 * Drops attempts that failed: a button was tapped, the screen stayed with at most an error message, and
 * a later tap on the same button succeeded.
 */
export function dropFailedAttempts(trace: NormalizedTrace): NormalizedTrace {
  const pruned: Pruned[] = [...trace.pruned]
  const intents = trace.intents.filter((intent, at) => {
    if (!isFailedAttempt(intent, trace.intents.slice(at + 1))) return true
    pruned.push(toPruned([intent], 'detour', 'A failed attempt that was repeated'))
    return false
  })
  return { ...trace, intents, pruned }
}

function isFailedAttempt(intent: Intent, later: readonly Intent[]): boolean {
  const { before, after, pinned } = intent
  if (!isTap(intent) || pinned === true || before === undefined || after === undefined) return false
  if (!isSameView(before, after) || !isRejection(before, after)) return false
  const repeatedAt = later.findIndex((one) => isSameAction(intent, one))
  const success = later[repeatedAt]
  if (success?.after === undefined || isSameView(before, success.after)) return false
  return later.slice(0, repeatedAt).every(({ after: seen }) => seen !== undefined && isSameView(before, seen))
}

const MAX_MESSAGES = 2

/** All parts of the screen are still there, and at most a message was added. */
function isRejection(before: Screen, after: Screen): boolean {
  const labels = new Set(after.nodes.map(readText))
  const stayed = before.nodes.every((node) => labels.has(readText(node)))
  const oldIds = new Set(before.nodes.map(resourceId))
  const added = after.nodes.filter((node) => !oldIds.has(resourceId(node))).length
  return stayed && added <= MAX_MESSAGES && after.nodes.length - before.nodes.length <= MAX_MESSAGES
}
