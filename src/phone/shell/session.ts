import { aborted } from '../host/clock.ts'
import type { ShellIo } from '../host/host.ts'
import type { Device } from '../model/device.ts'
import { Budget, HANGUP_CODE, SHELL_LIMITS, ShellExit, type ShellLimits } from './budget.ts'
import type { Program } from './command.ts'
import { execute } from './interpreter.ts'
import { LineReader } from './line-reader.ts'
import { parseScript } from './parser.ts'
import { finishJobs } from './pipes.ts'
import { FunctionReturn, LoopExit, type Shell } from './shell-state.ts'
import { reportError, type Streams } from './streams.ts'
import { ShellSyntaxError, type Command } from './syntax.ts'

const SYNTAX_ERROR_CODE = 1
/** A longer command of an interactive shell is refused while it is incomplete. */
const MAX_PENDING_LENGTH = 64 * 1024

/** Runs `sh -c command`, or an interactive shell when the command is empty. */
export async function runShell({ device, programs, limits }: ShellHost, command: string, io: ShellIo): Promise<number> {
  const streams: Streams = {
    stdin: new LineReader(io.stdin, io.signal),
    stdout: (chunk) => io.stdout(chunk),
    stderr: (chunk) => io.stderr(chunk),
    tty: (chunk) => io.stdout(chunk),
    signal: io.signal,
  }
  const budget = new Budget(limits ?? SHELL_LIMITS, () => streams.stderr(Buffer.from('Killed\n')))
  const shell = createShell({ device, programs }, { budget, drained: () => io.drained?.() })
  try {
    const code = await (command === ''
      ? runLines(shell, streams)
      : runScript(shell, command, { script: tryParse(command), streams }))
    await finishJobs(shell)
    return code
  } catch (error) {
    if (!(error instanceof ShellExit)) throw error
    await finishJobs(shell)
    return error.code
  }
}

export interface ShellHost {
  readonly device: Device
  readonly programs: ReadonlyMap<string, Program>
  readonly limits?: ShellLimits
}

const VARIABLES: readonly (readonly [string, string])[] = [
  ['HOME', '/'],
  ['PATH', '/product/bin:/apex/com.android.runtime/bin:/system/bin:/system/xbin:/vendor/bin'],
  ['USER', 'shell'],
  ['LOGNAME', 'shell'],
  ['SHELL', '/bin/sh'],
  ['HOSTNAME', 'simulated'],
  ['TERM', 'dumb'],
  ['TMPDIR', '/data/local/tmp'],
  ['ANDROID_ROOT', '/system'],
  ['ANDROID_DATA', '/data'],
  ['ANDROID_STORAGE', '/storage'],
  ['EXTERNAL_STORAGE', '/sdcard'],
]

function createShell({ device, programs }: ShellHost, { budget, drained }: Pick<Shell, 'budget' | 'drained'>): Shell {
  return {
    device,
    programs,
    execute,
    budget,
    drained,
    jobs: { lastPid: 0, running: new Map() },
    variables: new Map(VARIABLES),
    exported: new Set(VARIABLES.map(([name]) => name)),
    readOnly: new Set(),
    functions: new Map(),
    name: '/system/bin/sh',
    pid: 19_999,
    args: [],
    folder: '/',
    lastCode: 0,
    replaced: [],
    exitsOnFailure: false,
    tests: 0,
  }
}

async function runLines(shell: Shell, streams: Streams): Promise<number> {
  let pending = ''
  for (;;) {
    const line = await streams.stdin.line()
    if (line === undefined) break
    pending = pending === '' ? line : `${pending}\n${line}`
    const script = tryParse(pending)
    const isIncomplete = script instanceof ShellSyntaxError && script.incomplete
    if (isIncomplete && pending.length < MAX_PENDING_LENGTH) continue
    await runScript(shell, pending, { script, streams })
    pending = ''
  }
  if (pending !== '') await runScript(shell, pending, { script: tryParse(pending), streams })
  return streams.signal.aborted ? HANGUP_CODE : shell.lastCode
}

function tryParse(text: string): Command | ShellSyntaxError {
  try {
    return parseScript(text)
  } catch (error) {
    if (error instanceof ShellSyntaxError) return error
    throw error
  }
}

async function runScript(
  shell: Shell,
  text: string,
  { script, streams }: { readonly script: Command | ShellSyntaxError; readonly streams: Streams },
): Promise<number> {
  if (shell.device.faults.shouldHang(text)) {
    await aborted(streams.signal)
    return HANGUP_CODE
  }
  if (script instanceof ShellSyntaxError) {
    reportError(streams, script.message)
    shell.lastCode = SYNTAX_ERROR_CODE
    return SYNTAX_ERROR_CODE
  }
  try {
    return await execute(shell, script, streams)
  } catch (error) {
    // Outside a loop or function, these do nothing.
    if (error instanceof LoopExit) return 0
    if (error instanceof FunctionReturn) return error.code
    throw error
  }
}
