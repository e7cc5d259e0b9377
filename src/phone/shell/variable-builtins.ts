import { setVariable, type Shell } from './shell-state.ts'
import { reportError, type Streams } from './streams.ts'

interface VariableCall {
  readonly shell: Shell
  readonly args: readonly string[]
  readonly streams: Streams
}

function splitAssignment(text: string): readonly [name: string, value: string | undefined] {
  const at = text.indexOf('=')
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

function namesOf(args: readonly string[]): readonly string[] {
  return args.filter((arg) => !/^[-+][A-Za-z]+$/.test(arg))
}

/** Assigns a name that a builtin got, and reports one that is read-only. */
function assign({ shell, streams }: VariableCall, name: string, value: string): boolean {
  if (setVariable(shell, name, value)) return true
  reportError(streams, `${name}: is read only`)
  return false
}

export function exportNames(call: VariableCall): number {
  const { shell, args, streams } = call
  if (namesOf(args).length === 0) {
    const lines = [...shell.exported].map((name) => `export ${name}=${quote(shell.variables.get(name) ?? '')}\n`)
    streams.stdout(Buffer.from(lines.toSorted().join('')))
    return 0
  }
  for (const arg of namesOf(args)) {
    const [name, value] = splitAssignment(arg)
    if (value !== undefined && !assign(call, name, value)) return 1
    shell.exported.add(name)
  }
  return 0
}

export function makeReadOnly(call: VariableCall): number {
  for (const arg of namesOf(call.args)) {
    const [name, value] = splitAssignment(arg)
    if (value !== undefined && !assign(call, name, value)) return 1
    call.shell.readOnly.add(name)
  }
  return 0
}

export function unset({ shell, args, streams }: VariableCall): number {
  const isFunction = args[0] === '-f'
  for (const name of namesOf(args)) {
    if (!isFunction && shell.readOnly.has(name)) {
      reportError(streams, `unset: ${name}: is read only`)
      return 1
    }
    if (isFunction) shell.functions.delete(name)
    else shell.variables.delete(name)
    if (!isFunction) shell.exported.delete(name)
  }
  return 0
}

/** `local` and `typeset`: variables that get their values back when the function returns. */
export function declare(call: VariableCall): number {
  const { shell, args } = call
  const replaced = shell.replaced.at(-1)
  for (const arg of namesOf(args)) {
    const [name, value] = splitAssignment(arg)
    if (replaced !== undefined && !replaced.has(name)) replaced.set(name, shell.variables.get(name))
    if (!assign(call, name, value ?? '')) return 1
    if (args.includes('-x')) shell.exported.add(name)
  }
  return 0
}

/** `set`: options, and the arguments after `--`. Without arguments it prints the variables. */
export function set({ shell, args, streams }: VariableCall): number {
  if (args.length === 0) {
    const lines = [...shell.variables].map(([name, value]) => `${name}=${quote(value)}\n`)
    streams.stdout(Buffer.from(lines.toSorted().join('')))
    return 0
  }
  for (const [at, arg] of args.entries()) {
    if (arg === '--' || !/^[-+]/.test(arg)) {
      shell.args = args.slice(arg === '--' ? at + 1 : at)
      return 0
    }
    if (/^[-+][a-z]*e/.test(arg)) shell.exitsOnFailure = arg.startsWith('-')
    if (/^[-+]o$/.test(arg)) return 0
  }
  return 0
}

function quote(text: string): string {
  return /^[\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
