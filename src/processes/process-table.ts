import { readdirSync, readFileSync } from 'node:fs'

/** A process that still does something. */
export interface LivingProcess {
  readonly pid: number
  readonly group: number
}

/** All processes, as Linux tells of them; undefined on systems that do not. */
export function livingProcesses(): LivingProcess[] | undefined {
  let names: string[]
  try {
    names = readdirSync('/proc')
  } catch {
    return undefined
  }
  return names
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const group = groupOf(name)
      return group === undefined ? [] : [{ pid: Number(name), group }]
    })
}

/** Undefined for one that has ended, also if nobody has asked yet how. */
function groupOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name of the program stands in parentheses and may hold anything.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' || state === 'X' ? undefined : Number(group)
  } catch {
    return undefined
  }
}

/** Whether a process was started with this variable. One that may not be looked into was not started by us. */
export function carriesMark(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(mark)
  } catch {
    return false
  }
}
