import type { FirstDivergence } from '@apprentice/contracts/devices/compare.ts'
import type { SkillResult } from '@apprentice/contracts/skills/run-result.ts'
import type { FoundCheckpoint } from './recorded-events.ts'
import { containsAllWords } from './structural-baseline.ts'

export type ReportedCheckpoint = SkillResult['checkpoints'][number] & {
  /** The words of its id. */
  readonly words: ReadonlySet<string>
}

export function isSameCheckpoint(expected: FoundCheckpoint, reported: ReportedCheckpoint): boolean {
  if (expected.id === reported.id) return true
  return expected.nameWords !== undefined && containsAllWords(reported.words, expected.nameWords)
}

export function findFirstDivergence(
  expected: readonly FoundCheckpoint[],
  reported: readonly ReportedCheckpoint[],
  runFailed: boolean,
): FirstDivergence | undefined {
  for (let index = 0; index < Math.max(expected.length, reported.length); index += 1) {
    const [want, have] = [expected[index], reported[index]]
    if (want !== undefined && have?.status === 'ok' && isSameCheckpoint(want, have)) continue
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

/** How many checkpoints of the baseline the run reports. */
export function countCovered(expected: readonly FoundCheckpoint[], reported: readonly ReportedCheckpoint[]): number {
  return expected.filter((want) => reported.some((have) => isSameCheckpoint(want, have))).length
}

export interface Pairing {
  readonly baselineCheckpoint: string | null
  readonly actualCheckpoint: string | null
}

/** Aligns both lists along their longest common subsequence. */
export function alignCheckpoints(
  expected: readonly FoundCheckpoint[],
  reported: readonly ReportedCheckpoint[],
): Pairing[] {
  const lengths = computeCommonLengths(expected, reported)
  const lengthAt = (e: number, r: number): number => lengths[e]?.[r] ?? 0
  const pairs: Pairing[] = []
  let [e, r] = [0, 0]
  while (e < expected.length || r < reported.length) {
    const [want, have] = [expected[e], reported[r]]
    const together = want !== undefined && have !== undefined && isSameCheckpoint(want, have)
    if (together && lengthAt(e, r) === lengthAt(e + 1, r + 1) + 1) {
      pairs.push({ baselineCheckpoint: want.id, actualCheckpoint: have.id })
      e += 1
      r += 1
    } else if (have === undefined || (want !== undefined && lengthAt(e + 1, r) >= lengthAt(e, r + 1))) {
      pairs.push({ baselineCheckpoint: want?.id ?? null, actualCheckpoint: null })
      e += 1
    } else {
      pairs.push({ baselineCheckpoint: null, actualCheckpoint: have.id })
      r += 1
    }
  }
  return pairs
}

/** The length of the longest common subsequence from each pair of positions on. */
function computeCommonLengths(
  expected: readonly FoundCheckpoint[],
  reported: readonly ReportedCheckpoint[],
): Uint16Array[] {
  const lengths = Array.from({ length: expected.length + 1 }, () => new Uint16Array(reported.length + 1))
  for (let e = expected.length - 1; e >= 0; e -= 1) {
    for (let r = reported.length - 1; r >= 0; r -= 1) {
      const [want, have, row] = [expected[e], reported[r], lengths[e]]
      if (want === undefined || have === undefined || row === undefined) continue
      const apart = Math.max(lengths[e + 1]?.[r] ?? 0, row[r + 1] ?? 0)
      const together = isSameCheckpoint(want, have) ? (lengths[e + 1]?.[r + 1] ?? 0) + 1 : 0
      row[r] = Math.max(apart, together)
    }
  }
  return lengths
}
