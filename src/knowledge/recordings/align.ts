import type { FirstDivergence } from '@apprentice/contracts/devices/compare.ts'
import type { SkillResult } from '@apprentice/contracts/skills/run-result.ts'
import type { FoundCheckpoint } from './recorded-events.ts'
import { isNamedBy } from './structural-baseline.ts'

export type Reported = SkillResult['checkpoints'][number]

export function isSame(expected: FoundCheckpoint, reported: Reported): boolean {
  if (expected.id === reported.id) return true
  return expected.words !== undefined && isNamedBy(reported.id, expected.words)
}

export function firstDivergence(
  expected: readonly FoundCheckpoint[],
  reported: readonly Reported[],
  runFailed: boolean,
): FirstDivergence | undefined {
  for (let index = 0; index < Math.max(expected.length, reported.length); index += 1) {
    const [want, have] = [expected[index], reported[index]]
    if (want !== undefined && have?.status === 'ok' && isSame(want, have)) continue
    const missing = runFailed ? 'failed_before_expected_checkpoint' : 'missing_expected_checkpoint'
    return {
      index,
      baselineCheckpoint: want?.id ?? 'unexpected_extra_checkpoint',
      actualCheckpoint: have?.id ?? missing,
      baselineStatus: want?.expectedStatus ?? null,
      actualStatus: have?.status ?? null,
      ...(want !== undefined && { baselineSummary: want.summary }),
      ...(have?.note !== undefined && { actualNote: have.note }),
    }
  }
  return undefined
}

/** How many checkpoints of the baseline the run reports at all. */
export function countCovered(
  expected: readonly FoundCheckpoint[],
  reported: readonly Reported[],
): number {
  return expected.filter((want) => reported.some((have) => isSame(want, have))).length
}

export interface Pairing {
  readonly baselineCheckpoint: string | null
  readonly actualCheckpoint: string | null
}

/** The longest common way through both, with what is only on one side where it stands. */
export function align(
  expected: readonly FoundCheckpoint[],
  reported: readonly Reported[],
): Pairing[] {
  const lengths = commonLengths(expected, reported)
  const lengthAt = (e: number, r: number): number => lengths[e]?.[r] ?? 0
  const pairs: Pairing[] = []
  let [e, r] = [0, 0]
  while (e < expected.length || r < reported.length) {
    const [want, have] = [expected[e], reported[r]]
    const together = want !== undefined && have !== undefined && isSame(want, have)
    if (together && lengthAt(e, r) === lengthAt(e + 1, r + 1) + 1) {
      pairs.push({ baselineCheckpoint: want.id, actualCheckpoint: have.id })
      e += 1
      r += 1
    } else if (
      have === undefined ||
      (want !== undefined && lengthAt(e + 1, r) >= lengthAt(e, r + 1))
    ) {
      pairs.push({ baselineCheckpoint: want?.id ?? null, actualCheckpoint: null })
      e += 1
    } else {
      pairs.push({ baselineCheckpoint: null, actualCheckpoint: have.id })
      r += 1
    }
  }
  return pairs
}

/** For each pair of places the length of the longest common way from there on. */
function commonLengths(
  expected: readonly FoundCheckpoint[],
  reported: readonly Reported[],
): number[][] {
  const lengths = Array.from({ length: expected.length + 1 }, () =>
    Array.from({ length: reported.length + 1 }, () => 0),
  )
  for (let e = expected.length - 1; e >= 0; e -= 1) {
    for (let r = reported.length - 1; r >= 0; r -= 1) {
      const [want, have, row] = [expected[e], reported[r], lengths[e]]
      if (want === undefined || have === undefined || row === undefined) continue
      const apart = Math.max(lengths[e + 1]?.[r] ?? 0, row[r + 1] ?? 0)
      const together = isSame(want, have) ? (lengths[e + 1]?.[r + 1] ?? 0) + 1 : 0
      row[r] = Math.max(apart, together)
    }
  }
  return lengths
}
