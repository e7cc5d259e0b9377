import { readdir, readFile } from 'node:fs/promises'

/** Lists the ids of all processes. Returns undefined on systems without `/proc`. */
export async function listProcessIds(): Promise<number[] | undefined> {
  try {
    const names = await readdir('/proc')
    return names.filter((name) => /^\d+$/.test(name)).map(Number)
  } catch {
    return undefined
  }
}

/** Reads the group of a process. Returns undefined if it has ended, also if it is still a zombie. */
export async function readProcessGroup(pid: number): Promise<number | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1')
    // The program name is in parentheses and may contain any character.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return state === 'Z' || state === 'X' ? undefined : Number(group)
  } catch {
    return undefined
  }
}

/** Reads the user of a process. Undefined if it has ended. */
export async function readProcessUser(pid: number): Promise<number | undefined> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'latin1')
    const id = /^Uid:\t(\d+)/m.exec(status)?.[1]
    return id === undefined ? undefined : Number(id)
  } catch {
    return undefined
  }
}

/** Says whether a process has this variable. A process that cannot be read was not started by the daemon. */
export async function hasMark(pid: number, mark: string): Promise<boolean> {
  try {
    return (await readFile(`/proc/${pid}/environ`, 'latin1')).split('\0').includes(mark)
  } catch {
    return false
  }
}
