import { randomUUID } from 'node:crypto'

/**
 * Creates ids that sort by the time they were made (UUID version 7), so that rows made together are on the same pages of
 * an index. Ids of one millisecond are in order too, up to 4,096 of them.
 */
export function createIdFactory(clock: () => Date): () => string {
  let lastMs = 0
  let count = 0
  return () => {
    const now = clock().getTime()
    count = now === lastMs ? (count + 1) % MAX_COUNT : 0
    lastMs = now
    const time = now.toString(16).padStart(TIME_DIGITS, '0')
    const order = count.toString(16).padStart(COUNT_DIGITS, '0')
    return `${time.slice(0, 8)}-${time.slice(8)}-7${order}${randomUUID().slice(RANDOM_START)}`
  }
}

const TIME_DIGITS = 12
const COUNT_DIGITS = 3
const MAX_COUNT = 4096
/** The variant and the random part that follows it, with the dash before them. */
const RANDOM_START = 18
