import { createFolderView } from '../host/folder-view.ts'
import { ShellExit } from './budget.ts'
import type { Call, Program } from './command.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { parseScript } from './parser.ts'
import { copyShell, type Shell } from './shell-state.ts'
import { reportError, type Streams } from './streams.ts'
import { ShellSyntaxError } from './syntax.ts'

export type RunNamed = (shell: Shell, argv: readonly string[], streams: Streams) => MaybePromise<number>

/** Creates what a program gets. */
export function createCall(
  shell: Shell,
  { name, args, runNamed }: { readonly name: string; readonly args: readonly string[]; readonly runNamed: RunNamed },
  streams: Streams,
): Call {
  return {
    name,
    args,
    device: shell.device,
    files: createFolderView(shell.device.files, shell.folder),
    folder: shell.folder,
    environment: () => listExported(shell),
    programs: shell.programs,
    stdin: streams.stdin,
    signal: streams.signal,
    stdout: streams.stdout,
    stderr: streams.stderr,
    tty: streams.tty,
    drained: shell.drained,
    run: (argv, changes = {}) => {
      const inner = { ...copyShell(shell), functions: new Map() }
      for (const [key, value] of changes.environment ?? []) {
        inner.variables.set(key, value)
        inner.exported.add(key)
      }
      return runProcess(inner, () => runNamed(inner, argv, { ...streams, ...changes.streams }))
    },
    runScript: (script, scriptArgs) => runScript(shell, script, { args: scriptArgs, streams }),
  }
}

function listExported({ variables, exported }: Shell): readonly (readonly [string, string])[] {
  return [...exported].flatMap((name) => {
    const value = variables.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
}

/** Runs something as a process of its own: its `exit` ends only it. */
async function runProcess({ budget }: Shell, run: () => MaybePromise<number>): Promise<number> {
  budget.enter()
  try {
    return await run()
  } catch (error) {
    if (error instanceof ShellExit) return error.code
    throw error
  } finally {
    budget.leave()
  }
}

/** Runs a script in a new shell: `sh -c` and `sh FILE`. It sees the exported variables only. */
async function runScript(
  shell: Shell,
  script: string,
  { args: [name = 'sh', ...args], streams }: { readonly args: readonly string[]; readonly streams: Streams },
): Promise<number> {
  const inner: Shell = {
    ...copyShell(shell),
    variables: new Map(listExported(shell)),
    readOnly: new Set(),
    functions: new Map(),
    exitsOnFailure: false,
    tests: 0,
    name,
    args,
  }
  try {
    const command = parseScript(script)
    return await runProcess(inner, () => inner.execute(inner, command, streams))
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error
    reportError(streams, error.message)
    return 1
  }
}

const BIN = /^(?:\/system)?\/(?:bin|xbin|vendor\/bin)\//

/** The program of a command name or path, or the exit code that says why there is none. */
export function findProgram(shell: Shell, name: string): Program | number {
  const program = shell.programs.get(name.replace(BIN, ''))
  if (program !== undefined) return program
  if (!name.includes('/')) return 127
  const files = createFolderView(shell.device.files, shell.folder)
  const file = files.read(name)
  if (file === undefined) return 127
  if (((files.stat(name)?.mode ?? 0) & 0o111) === 0) return 126
  return (call) => call.runScript(file.toString('utf8').replace(/^#![^\n]*/, ''), [name, ...call.args])
}
