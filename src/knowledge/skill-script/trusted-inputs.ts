import type { InputSchema } from './run-manifest.ts'

export type TrustedInputs = ReadonlyMap<string, string | number>

/** The inputs from the caller's arguments, independent of the skill's result. Undefined when one is missing. */
export function readTrustedInputs(
  declared: ReadonlyMap<string, InputSchema>,
  args: readonly string[],
): TrustedInputs | undefined {
  const flags = new Map([...declared.keys()].map((name) => [formatFlag(name), name]))
  const { named, positionals } = splitArguments(args, flags)
  const rest = [...declared.keys()].filter((name) => !named.has(name)).toSorted(compareCodeUnits)
  if (positionals.length < rest.length) return undefined
  const first = positionals.length - rest.length
  const values = new Map<string, string | number>()
  for (const [name, schema] of declared) {
    const given = named.get(name) ?? positionals[first + rest.indexOf(name)]
    const value = given === undefined ? undefined : parseInput(given, schema)
    if (value === undefined) return undefined
    values.set(name, value)
  }
  return values
}

const formatFlag = (name: string): string => `--${name.replaceAll('_', '-')}`

const compareCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

/** The last occurrence of a flag wins; a token that begins with -- is never a value. */
function splitArguments(args: readonly string[], flags: ReadonlyMap<string, string>) {
  const named = new Map<string, string>()
  const positionals: string[] = []
  for (let at = 0; at < args.length; at += 1) {
    const token = args[at] ?? ''
    if (!token.startsWith('--')) {
      positionals.push(token)
      continue
    }
    if (token === '--') continue
    const equals = token.indexOf('=')
    const name = flags.get(equals === -1 ? token : token.slice(0, equals))
    if (equals !== -1) {
      if (name !== undefined) named.set(name, token.slice(equals + 1))
      continue
    }
    const next = args[at + 1]
    if (next === undefined || next.startsWith('--')) continue
    if (name !== undefined) named.set(name, next)
    at += 1
  }
  return { named, positionals }
}

function parseInput(given: string, schema: InputSchema): string | number | undefined {
  if (schema.type === 'string') return given
  if (!/^-?\d+$/.test(given)) return undefined
  const value = Number(given)
  return Number.isSafeInteger(value) && value >= schema.min && value <= schema.max ? value : undefined
}
