/** A program of the shell that runs beside others. Apps have processes of their own. */
export interface ShellProcess {
  readonly pid: number
  readonly name: string
  readonly stop: () => void
}

export interface ProcessTable {
  /** Returns the id of the process, or undefined if there are too many. */
  start(name: string, stop: () => void): number | undefined
  end(pid: number): void
  list(): readonly ShellProcess[]
}

const FIRST_PID = 20_000
const MAX_PROCESSES = 64

export function createProcessTable(): ProcessTable {
  const processes = new Map<number, ShellProcess>()
  let lastPid = FIRST_PID
  return {
    start: (name, stop) => {
      if (processes.size >= MAX_PROCESSES) return undefined
      lastPid += 1
      processes.set(lastPid, { pid: lastPid, name, stop })
      return lastPid
    },
    end: (pid) => processes.delete(pid),
    list: () => [...processes.values()],
  }
}
