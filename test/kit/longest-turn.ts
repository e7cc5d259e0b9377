import { readFileSync } from 'node:fs'

/** The processor time of this thread in milliseconds. Other processes and threads do not count. */
const readThreadTime = (): number =>
  Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6

/**
 * Runs the work and returns the longest turn of the event loop meanwhile, in milliseconds of processor time. Wall time
 * would measure the load of the machine too.
 */
export async function measureLongestTurn(work: () => Promise<unknown>): Promise<number> {
  let longest = 0
  let last = readThreadTime()
  const look = () => {
    const now = readThreadTime()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 1)
  try {
    await work()
    // A last turn, in which the work may have ended.
    await new Promise((resolve) => setTimeout(resolve, 5))
    look()
  } finally {
    clearInterval(timer)
  }
  return longest
}
