import { readdir, readFile } from 'node:fs/promises'

/** The ids of all processes, as Linux tells them; undefined on systems that do not. */
export async function processIds(): Promise<number[] | undefined> {
  try {
    const names = await readdir('/proc')
    return names.filter((name) => /^\d+$/.test(name)).map(Number)
  } catch {
    return undefined
  }
}

/** The group of a process; undefined for one that has ended, also if nobody has asked yet how. */
export async function groupOf(pid: number): Promise<number | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
    // The name of the program stands in parentheses and may hold anything.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' || state === 'X' ? undefined : Number(group)
  } catch {
    return undefined
  }
}

/** Whether a process was started with this variable. One that may not be looked into was not started by us. */
export async function carriesMark(pid: number, mark: string): Promise<boolean> {
  try {
    return (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0').includes(mark)
  } catch {
    return false
  }
}
