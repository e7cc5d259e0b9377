/** Of very many runs only the latest are compared: each with each would take too long. */
const mostCompared = 30

/** How far runs differ: the mean over all pairs of how many steps of the longer one would have to change. */
export function variationOf(sequences: readonly (readonly string[])[]): number {
  const compared = sequences.slice(-mostCompared)
  const distances = compared.flatMap((one, at) =>
    compared.slice(at + 1).map((other) => stepDistance(one, other)),
  )
  if (distances.length === 0) return 0
  return distances.reduce((sum, distance) => sum + distance, 0) / distances.length
}

/** Steps to add, leave out or replace, as a share of the longer sequence. */
export function stepDistance(one: readonly string[], other: readonly string[]): number {
  const longest = Math.max(one.length, other.length)
  return longest === 0 ? 0 : edits(one, other) / longest
}

function edits(one: readonly string[], other: readonly string[]): number {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (const [row, step] of one.entries()) {
    const line = [row + 1]
    for (const [at, wanted] of other.entries()) {
      const replaced = (above[at] ?? 0) + Number(step !== wanted)
      line.push(Math.min(replaced, (above[at + 1] ?? 0) + 1, (line[at] ?? 0) + 1))
    }
    above = line
  }
  return above[other.length] ?? 0
}

/** A step that is repeated is one step done often: how often depends on where it began. */
export const collapsed = (steps: readonly string[]): string[] =>
  steps.filter((step, at) => step !== steps[at - 1])
