/** Pseudo-random numbers that are the same for the same seed. */
export interface Random {
  /** From 0 to below 1. */
  next(): number
  /** An integer from `min` to `max`, both inclusive. */
  int(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(among: readonly T[]): T
  /** Picks a name with a probability proportional to its weight. */
  pickWeighted<K extends string>(weights: Readonly<Partial<Record<K, number>>>): K
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0
  // Mulberry32
  const next = () => {
    state = (state + 0x6d_2b_79_f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (min: number, max: number) => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    int,
    chance: (probability) => next() < probability,
    pick: <T>(among: readonly T[]) => among[int(0, among.length - 1)] as T,
    pickWeighted: <K extends string>(weights: Readonly<Partial<Record<K, number>>>) => {
      const entries = Object.entries(weights) as [K, number][]
      let remaining = next() * entries.reduce((sum, [, weight]) => sum + weight, 0)
      const found = entries.find(([, weight]) => (remaining -= weight) < 0) ?? entries.at(-1)
      if (found === undefined) throw new Error('No choices.')
      return found[0]
    },
  }
}
