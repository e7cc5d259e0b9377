import { toAbsolute } from '../host/file-tree.ts'
import { createFolderView } from '../host/folder-view.ts'
import { ArithmeticError, calculate } from './arithmetic.ts'
import { ShellExit } from './budget.ts'
import type { RunNamed } from './call.ts'
import { ShellEnvironment } from './environment.ts'
import type { MaybePromise } from './maybe-promise.ts'
import { parseScript } from './parser.ts'
import { read } from './read-builtin.ts'
import { FunctionReturn, LoopExit, setVariable, type Shell } from './shell-state.ts'
import { reportError, type Streams } from './streams.ts'
import { ShellSyntaxError } from './syntax.ts'
import { declare, exportNames, makeReadOnly, set, unset } from './variable-builtins.ts'

/** A command that changes the shell itself. */
export interface BuiltinCall {
  readonly shell: Shell
  readonly args: readonly string[]
  readonly streams: Streams
  readonly runNamed: RunNamed
}

export type Builtin = (call: BuiltinCall) => MaybePromise<number>

export function findBuiltin(name: string): Builtin | undefined {
  return Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined
}

function toCode(text: string | undefined, otherwise: number): number {
  return text === undefined || !/^-?\d+$/.test(text) ? otherwise : Number(text) & 0xff
}

function exit({ shell, args }: BuiltinCall): never {
  throw new ShellExit(toCode(args[0], shell.lastCode))
}

function returnFrom({ shell, args }: BuiltinCall): never {
  const code = toCode(args[0], shell.lastCode)
  throw shell.replaced.length === 0 ? new ShellExit(code) : new FunctionReturn(code)
}

function cd({ shell, args, streams }: BuiltinCall): number {
  const [first] = args.filter((arg) => arg !== '--' && arg !== '-L' && arg !== '-P')
  const target = first === '-' ? (shell.variables.get('OLDPWD') ?? '/') : (first ?? shell.variables.get('HOME') ?? '/')
  const files = createFolderView(shell.device.files, shell.folder)
  if (!files.isFolder(target)) {
    const reason = files.stat(target) === undefined ? 'No such file or directory' : 'Not a directory'
    reportError(streams, `cd: ${target}: ${reason}`)
    return 2
  }
  shell.variables.set('OLDPWD', shell.folder)
  shell.folder = toAbsolute(target.startsWith('/') ? target : `${shell.folder}/${target}`)
  if (first === '-') streams.stdout(Buffer.from(`${shell.folder}\n`))
  return 0
}

function pwd({ shell, streams }: BuiltinCall): number {
  streams.stdout(Buffer.from(`${shell.folder}\n`))
  return 0
}

function shift({ shell, args }: BuiltinCall): number {
  const count = toCode(args[0], 1)
  if (count > shell.args.length) return 1
  shell.args = shell.args.slice(count)
  return 0
}

/** Runs text as commands of this shell. */
async function runText({ shell, streams }: BuiltinCall, text: string): Promise<number> {
  try {
    const command = parseScript(text)
    shell.budget.enter()
    return await shell.execute(shell, command, streams)
  } catch (error) {
    if (!(error instanceof ShellSyntaxError)) throw error
    reportError(streams, error.message)
    return 1
  } finally {
    shell.budget.leave()
  }
}

async function source(call: BuiltinCall): Promise<number> {
  const [path = '', ...args] = call.args
  const { shell } = call
  const file = createFolderView(shell.device.files, shell.folder).read(path)
  if (file === undefined) {
    reportError(call.streams, `.: ${path}: not found`)
    return 1
  }
  const outerArgs = shell.args
  if (args.length > 0) shell.args = args
  try {
    return await runText(call, file.toString('utf8'))
  } finally {
    shell.args = outerArgs
  }
}

/** `exec COMMAND` replaces the shell. */
async function exec({ shell, args, streams, runNamed }: BuiltinCall): Promise<number> {
  if (args.length === 0) return 0
  throw new ShellExit(await runNamed(shell, args, streams))
}

/** `command [-v] NAME`: runs a program, not a function of this name, or tells where it is. */
function command(call: BuiltinCall): MaybePromise<number> {
  const { shell, args, streams, runNamed } = call
  if (args[0] === '-v' || args[0] === '-V') return locate(call, args.slice(1), args[0] === '-v')
  return runNamed({ ...shell, functions: new Map() }, args[0] === '-p' ? args.slice(1) : args, streams)
}

function locate({ shell, streams }: BuiltinCall, names: readonly string[], brief: boolean): number {
  let code = 0
  for (const name of names) {
    const text = describe(shell, name, brief)
    if (text !== undefined) streams.stdout(Buffer.from(`${text}\n`))
    else if (!brief) streams.stdout(Buffer.from(`${name} not found\n`))
    if (text === undefined) code = 1
  }
  return code
}

function describe(shell: Shell, name: string, brief: boolean): string | undefined {
  if (shell.functions.has(name)) return brief ? name : `${name} is a function`
  if (findBuiltin(name) !== undefined) return brief ? name : `${name} is a shell builtin`
  if (!shell.programs.has(name)) return undefined
  return brief ? `/system/bin/${name}` : `${name} is /system/bin/${name}`
}

async function wait({ shell, args }: BuiltinCall): Promise<number> {
  const { running } = shell.jobs
  if (args.length === 0) {
    await Promise.all([...running.values()].map(({ outcome }) => outcome))
    running.clear()
    return 0
  }
  const job = running.get(Number(args[0]))
  return job === undefined ? 127 : job.outcome
}

function letExpressions({ shell, args, streams }: BuiltinCall): number {
  const environment = new ShellEnvironment(shell, streams)
  let value = 0
  try {
    for (const arg of args) value = calculate(arg, environment)
  } catch (error) {
    if (!(error instanceof ArithmeticError)) throw error
    reportError(streams, `let: ${error.message}`)
    return 1
  }
  return value === 0 ? 1 : 0
}

function getopts({ shell, args }: BuiltinCall): number {
  const [letters = '', name = '', ...own] = args
  const given = own.length > 0 ? own : shell.args
  const index = Number(shell.variables.get('OPTIND') ?? '1')
  const arg = given[index - 1]
  const letter = /^-([^-])$/.exec(arg ?? '')?.[1]
  if (letter === undefined) return 1
  const at = letters.indexOf(letter)
  const takesValue = at >= 0 && letters[at + 1] === ':'
  setVariable(shell, name, at >= 0 ? letter : '?')
  if (takesValue) setVariable(shell, 'OPTARG', given[index] ?? '')
  setVariable(shell, 'OPTIND', String(index + (takesValue ? 2 : 1)))
  return 0
}

const succeed: Builtin = () => 0

const BUILTINS: Readonly<Record<string, Builtin>> = {
  ':': succeed,
  '.': source,
  source,
  alias: succeed,
  break: ({ args }) => {
    throw new LoopExit('break', Math.max(1, toCode(args[0], 1)))
  },
  builtin: (call) => findBuiltin(call.args[0] ?? '')?.({ ...call, args: call.args.slice(1) }) ?? 127,
  cd,
  command,
  continue: ({ args }) => {
    throw new LoopExit('continue', Math.max(1, toCode(args[0], 1)))
  },
  declare,
  eval: (call) => runText(call, call.args.join(' ')),
  exec,
  exit,
  export: exportNames,
  getopts,
  jobs: succeed,
  let: letExpressions,
  local: declare,
  pwd,
  read,
  readonly: makeReadOnly,
  return: returnFrom,
  set,
  shift,
  trap: succeed,
  type: (call) => locate(call, call.args, false),
  typeset: declare,
  ulimit: ({ streams }) => {
    streams.stdout(Buffer.from('unlimited\n'))
    return 0
  },
  umask: ({ args, streams }) => {
    if (args.length === 0) streams.stdout(Buffer.from('0077\n'))
    return 0
  },
  unset,
  wait,
}
