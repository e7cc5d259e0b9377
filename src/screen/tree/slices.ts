/** Work that pauses after each part, so that something else can be done. The largest screens take much more than a turn. */
export type Sliced<T> = Generator<undefined, T>

/** How many nodes are handled between two pauses. */
export const NODES_PER_PART = 100
/** How long the event loop may wait for a turn. */
const TURN_MS = 10

/** Does all parts without a pause. */
export function finishNow<T>(work: Sliced<T>): T {
  let step = work.next()
  while (step.done !== true) step = work.next()
  return step.value
}

/** Does the parts and lets the event loop have its turn in between. Work that is shorter than a turn is done at once. */
export async function finishInTurns<T>(work: Sliced<T>): Promise<T> {
  let ends = performance.now() + TURN_MS
  let step = work.next()
  while (step.done !== true) {
    if (performance.now() >= ends) {
      await new Promise<void>((resolve) => void setImmediate(resolve))
      ends = performance.now() + TURN_MS
    }
    step = work.next()
  }
  return step.value
}

/** Converts each item, with a pause after some of them. */
export function* mapInParts<T, R>(items: readonly T[], convert: (item: T, index: number) => R): Sliced<R[]> {
  const converted: R[] = []
  for (const item of items) {
    if (converted.length % NODES_PER_PART === NODES_PER_PART - 1) yield
    converted.push(convert(item, converted.length))
  }
  return converted
}
