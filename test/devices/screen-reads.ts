import type { Driver } from '../../src/devices/driver/driver.ts'

/**
 * Counts how often the tree of a screen is asked for. Who reads one screen after the other has understood a reading
 * once it asks for the next.
 */
export function countScreenReads(driver: Driver): () => number {
  const dump = driver.dump.bind(driver)
  let reads = 0
  driver.dump = (limits) => {
    reads += 1
    return dump(limits)
  }
  return () => reads
}
