import type { Driver } from '../../src/devices/driver/driver.ts'

/**
 * Counts the screen dumps of a driver. A caller that reads sequentially has processed a reading once it requests
 * the next one.
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
