import { readFileSync } from 'node:fs'

/**
 * How long the main thread of a process has run, and how long it was ready and waited for a processor, in milliseconds.
 * Waiting is the load of the machine and not the work of the process. Both are 0 where the system does not tell.
 *
 * @param {number} pid
 * @returns {{ ran_ms: number, waited_ms: number }}
 */
export function readSchedulerTimes(pid) {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1').split(' ').map(Number)
    return { ran_ms: ran / 1e6, waited_ms: waited / 1e6 }
  } catch {
    return { ran_ms: 0, waited_ms: 0 }
  }
}

/**
 * Whether the main thread of a process waits for the disk now.
 *
 * @param {number} pid
 * @returns {boolean}
 */
export function isWaitingForDisk(pid) {
  try {
    // The name of the program may contain spaces and parentheses.
    return readFileSync(`/proc/${pid}/task/${pid}/stat`, 'latin1').split(') ').at(-1)?.startsWith('D') ?? false
  } catch {
    return false
  }
}
