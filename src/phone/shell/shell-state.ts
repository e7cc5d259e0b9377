import type { Device } from '../model/device.ts'
import { type Budget, ShellExit } from './budget.ts'
import type { Program } from './command.ts'
import type { MaybePromise } from './maybe-promise.ts'
import type { Streams } from './streams.ts'
import type { Command } from './syntax.ts'

export type Execute = (shell: Shell, command: Command, streams: Streams) => MaybePromise<number>

/** The state of a running shell. */
export interface Shell {
  readonly device: Device
  readonly programs: ReadonlyMap<string, Program>
  /** Runs a command with this interpreter. Throws ShellExit, or rejects with it. */
  readonly execute: Execute
  readonly budget: Budget
  /** A promise while the client has much output to take. */
  readonly drained: () => Promise<void> | undefined
  readonly jobs: ShellJobs
  readonly variables: Map<string, string>
  readonly exported: Set<string>
  readonly readOnly: Set<string>
  readonly functions: Map<string, Command>
  /** `$0`. */
  readonly name: string
  readonly pid: number
  /** `$1` and what follows. */
  args: readonly string[]
  /** The current folder. */
  folder: string
  lastCode: number
  /** Values that `local` replaced, for each running function. */
  readonly replaced: Map<string, string | undefined>[]
  /** `set -e`: a failed command ends the shell, unless it is tested. */
  exitsOnFailure: boolean
  /** Tests around the running command: its failure is expected. */
  tests: number
}

/** Commands that run beside the shell that started them. */
export interface ShellJobs {
  lastPid: number
  readonly running: Map<number, { readonly outcome: Promise<number>; readonly detached: boolean }>
}

export function copyShell(shell: Shell): Shell {
  return {
    ...shell,
    variables: new Map(shell.variables),
    exported: new Set(shell.exported),
    functions: new Map(shell.functions),
    replaced: [],
    jobs: { lastPid: shell.jobs.lastPid, running: new Map() },
  }
}

/** Runs a command whose failure does not end the shell. */
export async function executeTest(shell: Shell, command: Command, streams: Streams): Promise<number> {
  shell.tests += 1
  try {
    return await shell.execute(shell, command, streams)
  } finally {
    shell.tests -= 1
  }
}

/** Runs a command in a copy of the shell: its variables, folder and `exit` do not reach the outer one. */
export async function runSubshell(shell: Shell, body: Command, streams: Streams): Promise<number> {
  shell.budget.enter()
  try {
    return await shell.execute(copyShell(shell), body, streams)
  } catch (error) {
    if (error instanceof ShellExit) return error.code
    if (error instanceof LoopExit) return 0
    if (error instanceof FunctionReturn) return error.code
    throw error
  } finally {
    shell.budget.leave()
  }
}

export function setVariable(shell: Shell, name: string, value: string): boolean {
  if (shell.readOnly.has(name)) return false
  shell.budget.addText(value.length)
  shell.variables.set(name, value)
  return true
}

/** Thrown by `break` and `continue`. */
export class LoopExit extends Error {
  readonly kind: 'break' | 'continue'
  readonly levels: number

  constructor(kind: 'break' | 'continue', levels: number) {
    super(kind)
    this.kind = kind
    this.levels = levels
  }
}

/** Thrown by `return`. */
export class FunctionReturn extends Error {
  readonly code: number

  constructor(code: number) {
    super('return')
    this.code = code
  }
}
