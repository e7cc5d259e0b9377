import { type Resolution, type Target, resolveTarget } from '../../screen/matcher.ts'
import type { EngineExecution } from './engine-execution.ts'
import type { FoundNode, ScreenReading } from './screen-reading.ts'
import { readScreenOnce } from './read-screen.ts'
import { type StepNotes, describeNode } from './step-evidence.ts'
import { StepFailure } from './step-failure.ts'

/** Finds the target of an action. Reuses the reading of the previous step if it contains the target. */
export async function findActionTarget(
  execution: EngineExecution,
  target: Target,
  notes: StepNotes,
): Promise<FoundNode> {
  const reusable = execution.takeReusableReading()
  if (reusable !== undefined) {
    const resolution = resolveTarget(reusable.hierarchy, target)
    if (resolution.kind === 'found') return recordTarget({ reading: reusable, ...resolution }, notes)
  }
  return findOnCurrentScreen(execution, target, notes)
}

/** Finds a target on a new reading of the screen. */
export async function findOnCurrentScreen(
  execution: EngineExecution,
  target: Target,
  notes: StepNotes,
): Promise<FoundNode> {
  const reading = await readScreenOnce(execution)
  return recordTarget(resolveOnReading(reading, target), notes)
}

export function resolveOnReading(reading: ScreenReading, target: Target): FoundNode {
  const resolution = resolveTarget(reading.hierarchy, target)
  if (resolution.kind !== 'found') throw toUnresolvedFailure(resolution, reading)
  return { reading, ...resolution }
}

export function recordTarget(found: FoundNode, notes: StepNotes): FoundNode {
  notes.before = found.reading
  notes.node = describeNode(found.node)
  delete notes.fallback
  delete notes.votes
  recordFallback(found, notes)
  return found
}

/** Keeps the fallback of an earlier node if this one was found without a fallback. */
export function recordFallback({ fallback, votes }: Pick<FoundNode, 'fallback' | 'votes'>, notes: StepNotes): void {
  if (fallback === undefined) return
  notes.fallback = fallback
  if (votes !== undefined) notes.votes = votes
}

/** A missing target is retryable, because it may appear later. An ambiguous one is not. */
export function toUnresolvedFailure(
  resolution: Exclude<Resolution, { kind: 'found' }>,
  reading: ScreenReading,
): StepFailure {
  const where = `on the screen of ${reading.package}`
  if (resolution.kind === 'missing') {
    const facts = { retryable: true, seen: reading }
    return new StepFailure(resolution.error, `The target is not ${where}.`, facts)
  }
  const { error, candidate_count, candidates } = resolution
  return new StepFailure(error, `${candidate_count} nodes match ${where}.`, {
    data: { candidates: JSON.stringify(candidates), candidate_count: String(candidate_count) },
  })
}
