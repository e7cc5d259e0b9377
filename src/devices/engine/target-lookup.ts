import { type Resolution, type Target, resolveTarget } from '../../screen/matcher.ts'
import type { EngineRun } from './engine-run.ts'
import type { FoundNode, ScreenReading } from './screen-reading.ts'
import { lookOrFail } from './screen-reads.ts'
import { type StepNotes, describeNode } from './step-evidence.ts'
import { StepFailure } from './step-failure.ts'

/** Finds what to act on. A look of the step before counts if the target is on it. */
export async function findToActOn(
  run: EngineRun,
  target: Target,
  notes: StepNotes,
): Promise<FoundNode> {
  const offered = run.takeOffered()
  if (offered !== undefined) {
    const there = resolveTarget(offered.hierarchy, target)
    if (there.kind === 'found') return noted({ reading: offered, ...there }, notes)
  }
  return findNow(run, target, notes)
}

/** Finds what to read, on the screen as it is now. */
export async function findNow(
  run: EngineRun,
  target: Target,
  notes: StepNotes,
): Promise<FoundNode> {
  const reading = await lookOrFail(run)
  return noted(resolveOn(reading, target), notes)
}

export function resolveOn(reading: ScreenReading, target: Target): FoundNode {
  const resolution = resolveTarget(reading.hierarchy, target)
  if (resolution.kind !== 'found') throw unresolved(resolution, reading)
  return { reading, ...resolution }
}

export function noted(found: FoundNode, notes: StepNotes): FoundNode {
  notes.before = found.reading
  notes.node = describeNode(found.node)
  if (found.fallback === undefined) delete notes.fallback
  else notes.fallback = found.fallback
  return found
}

/** A target that is not there may yet come; of several alike none is chosen. */
export function unresolved(
  resolution: Exclude<Resolution, { kind: 'found' }>,
  reading: ScreenReading,
): StepFailure {
  const where = `on the screen of ${reading.package}`
  if (resolution.kind === 'missing') {
    const facts = { retryable: true, seen: reading }
    return new StepFailure(resolution.error, `It is not ${where}.`, facts)
  }
  const { error, candidate_count, candidates } = resolution
  return new StepFailure(error, `There are ${candidate_count} alike ${where}.`, {
    data: { candidates: JSON.stringify(candidates), candidate_count: String(candidate_count) },
  })
}
