/** The arguments of a program, taken apart as getopt does. */
export interface ProgramOptions {
  /** Options by letter or long name. Those without a value have an empty one. */
  readonly flags: ReadonlyMap<string, string>
  readonly operands: readonly string[]
}

/** Takes options apart. `withValue` has the letters and long names of options that take a value. */
export function parseProgramOptions(args: readonly string[], withValue: readonly string[] = []): ProgramOptions {
  const flags = new Map<string, string>()
  const operands: string[] = []
  const pending = [...args]
  for (let arg = pending.shift(); arg !== undefined; arg = pending.shift()) {
    if (arg === '--') {
      operands.push(...pending)
      break
    }
    const long = /^--([\w-]+)(?:=(.*))?$/s.exec(arg)
    if (long?.[1] !== undefined) {
      flags.set(long[1], long[2] ?? (withValue.includes(long[1]) ? (pending.shift() ?? '') : ''))
    } else if (/^-./s.test(arg)) {
      readLetters(arg.slice(1), { flags, pending, withValue })
    } else {
      operands.push(arg)
    }
  }
  return { flags, operands }
}

interface LetterState {
  readonly flags: Map<string, string>
  readonly pending: string[]
  readonly withValue: readonly string[]
}

function readLetters(letters: string, { flags, pending, withValue }: LetterState): void {
  for (const [at, letter] of Array.from(letters).entries()) {
    if (!withValue.includes(letter)) {
      flags.set(letter, '')
      continue
    }
    const rest = letters.slice(at + 1)
    flags.set(letter, rest === '' ? (pending.shift() ?? '') : rest)
    return
  }
}
