import { FileError } from '../../host/file-tree.ts'
import { printError, type Call } from '../../shell/command.ts'

/** Calls `action`. Returns the reason if a file cannot be used. */
export function attempt(action: () => string | undefined | void): string | undefined {
  try {
    return action() ?? undefined
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    return error.message
  }
}

/** Calls `action` for each name. Prints one error per failed name. Returns the exit code. */
export function forEachName(
  call: Pick<Call, 'name' | 'stderr'> & { readonly quoted?: boolean },
  names: readonly string[],
  action: (name: string) => string | undefined,
): number {
  let code = 0
  for (const name of names) {
    const problem = attempt(() => action(name))
    if (problem === undefined) continue
    const shown = call.quoted === true ? `'${name}'` : name
    call.stderr(Buffer.from(`${call.name}: ${shown}: ${problem}\n`))
    code = 1
  }
  return code
}

export function requireOperands(call: Call, operands: readonly string[], count: number): boolean {
  if (operands.length >= count) return true
  printError(call, `${call.name}: Needs ${count} argument${count === 1 ? '' : 's'}\n`)
  return false
}
