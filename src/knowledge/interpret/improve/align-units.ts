import { compareUnits, type Likeness, type StepUnit } from './step-units.ts'

/** A step that the installed workflow and the demonstration share. */
export interface SharedStep {
  /** Index in the installed workflow. */
  readonly at: number
  /** Index in the demonstration. */
  readonly shown: number
  readonly likeness: Likeness
}

/** The steps that both share, in the order of both, with the largest likeness in total. */
export function alignUnits(installed: readonly StepUnit[], shown: readonly StepUnit[]): SharedStep[] {
  const likeness = installed.map((one) => shown.map((other) => compareUnits(one, other)))
  const best: number[][] = Array.from({ length: installed.length + 1 }, () => Array(shown.length + 1).fill(0))
  const read = (at: number, to: number): number => best[at]?.[to] ?? 0
  for (let at = installed.length - 1; at >= 0; at -= 1) {
    for (let to = shown.length - 1; to >= 0; to -= 1) {
      const like = likeness[at]?.[to] ?? 0
      const taken = like === 0 ? 0 : like + read(at + 1, to + 1)
      const row = best[at]
      if (row !== undefined) row[to] = Math.max(taken, read(at + 1, to), read(at, to + 1))
    }
  }
  const shared: SharedStep[] = []
  let at = 0
  let to = 0
  while (at < installed.length && to < shown.length) {
    const like = likeness[at]?.[to] ?? 0
    if (like > 0 && read(at, to) === like + read(at + 1, to + 1)) {
      shared.push({ at, shown: to, likeness: like })
      at += 1
      to += 1
    } else if (read(at, to) === read(at + 1, to)) at += 1
    else to += 1
  }
  return shared
}
