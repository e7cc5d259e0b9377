/** Only the latest sequences are compared: the number of pairs grows with the square. */
const MAX_COMPARED = 30

/** The mean step distance over all pairs of sequences, from 0 to 1. */
export function measureVariation(sequences: readonly (readonly string[])[]): number {
  const compared = sequences.slice(-MAX_COMPARED)
  const distances = compared.flatMap((one, at) =>
    compared.slice(at + 1).map((other) => measureStepDistance(one, other)),
  )
  if (distances.length === 0) return 0
  return distances.reduce((sum, distance) => sum + distance, 0) / distances.length
}

/** The Levenshtein distance of two sequences, divided by the length of the longer one. */
export function measureStepDistance(one: readonly string[], other: readonly string[]): number {
  const longest = Math.max(one.length, other.length)
  return longest === 0 ? 0 : countEdits(one, other) / longest
}

function countEdits(one: readonly string[], other: readonly string[]): number {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [row, step] of one.entries()) {
    const line = [row + 1]
    for (const [at, target] of other.entries()) {
      const replaced = (above[at] ?? 0) + Number(step !== target)
      line.push(Math.min(replaced, (above[at + 1] ?? 0) + 1, (line[at] ?? 0) + 1))
    }
    above = line
  }
  return above[other.length] ?? 0
}

/** Counts a repeated step once: the number of repetitions depends on the initial state. */
export const collapseRepeats = (steps: readonly string[]): string[] =>
  steps.filter((step, at) => step !== steps[at - 1])
