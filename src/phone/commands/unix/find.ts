import { matchPattern } from '../../shell/patterns.ts'
import { printError, print, type Call } from '../../shell/command.ts'
import { attempt } from './each-name.ts'

interface Found {
  readonly path: string
  readonly name: string
  readonly isFolder: boolean
  readonly size: number
  readonly mtime: number
  readonly depth: number
}

type Test = (found: Found, call: Call) => boolean | Promise<boolean>

interface Query {
  readonly minDepth: number
  readonly maxDepth: number
  /** Alternatives, each a list of tests that all hold. */
  readonly alternatives: readonly (readonly Test[])[]
  readonly acts: boolean
}

class FindError extends Error {}

/** `find PATH... [TESTS] [ACTIONS]`. Tests are joined by "and", or by `-o`. */
export async function find(call: Call): Promise<number> {
  const at = call.args.findIndex((arg) => /^[-(!]/.test(arg))
  const paths = at === -1 ? call.args : call.args.slice(0, at)
  try {
    const query = parseQuery(at === -1 ? [] : call.args.slice(at))
    let code = 0
    for (const path of paths.length === 0 ? ['.'] : paths) {
      if (call.files.stat(path) === undefined) {
        printError(call, `find: ${path}: No such file or directory\n`)
        code = 1
      } else {
        await visit(call, { path, depth: 0 }, query)
      }
    }
    return code
  } catch (error) {
    if (!(error instanceof FindError)) throw error
    printError(call, `find: ${error.message}\n`)
    return 1
  }
}

async function visit(call: Call, { path, depth }: { path: string; depth: number }, query: Query): Promise<void> {
  const stat = call.files.stat(path)
  if (stat === undefined || call.signal.aborted) return
  const isFolder = call.files.isFolder(path)
  const name =
    path
      .replace(/(?<!\/)\/+$/, '')
      .split('/')
      .at(-1) || path
  const found = { path, name, isFolder, size: stat.size, mtime: stat.mtime, depth }
  const entries = isFolder && depth < query.maxDepth ? call.files.list(path) : []
  if (depth >= query.minDepth && (await matches(call, found, query)) && !query.acts) print(call, `${path}\n`)
  for (const entry of entries) {
    await visit(
      call,
      { path: path.endsWith('/') ? `${path}${entry.name}` : `${path}/${entry.name}`, depth: depth + 1 },
      query,
    )
  }
}

async function matches(call: Call, found: Found, { alternatives }: Query): Promise<boolean> {
  for (const tests of alternatives) {
    let holds = true
    for (const test of tests) if (holds) holds = await test(found, call)
    if (holds) return true
  }
  return false
}

function parseQuery(args: readonly string[]): Query {
  const pending = [...args]
  const alternatives: Test[][] = [[]]
  const depths = { min: 0, max: Number.POSITIVE_INFINITY }
  let [acts, negated] = [false, false]
  for (let arg = pending.shift(); arg !== undefined; arg = pending.shift()) {
    if (arg === '!' || arg === '-not') negated = !negated
    else if (arg === '-o' || arg === '-or') alternatives.push([])
    else if (arg === '-maxdepth') depths.max = toNumber(pending.shift())
    else if (arg === '-mindepth') depths.min = toNumber(pending.shift())
    else if (['-a', '-and', '(', ')', '-xdev', '-depth'].includes(arg)) continue
    else {
      const test = parseTest(arg, pending)
      acts ||= ACTIONS.has(arg)
      const isNegated = negated
      alternatives.at(-1)?.push(async (found, call) => (await test(found, call)) !== isNegated)
      negated = false
    }
  }
  return { minDepth: depths.min, maxDepth: depths.max, alternatives, acts }
}

const ACTIONS = new Set(['-print', '-print0', '-delete', '-exec', '-execdir', '-printf'])

function toNumber(text: string | undefined): number {
  if (text === undefined || !/^\d+$/.test(text)) throw new FindError(`bad number '${text ?? ''}'`)
  return Number(text)
}

function parseTest(arg: string, pending: string[]): Test {
  const value = (): string => {
    const next = pending.shift()
    if (next === undefined) throw new FindError(`'${arg}' needs 1 arg`)
    return next
  }
  switch (arg) {
    case '-name':
    case '-iname': {
      const fold = (text: string): string => (arg === '-iname' ? text.toLowerCase() : text)
      const pattern = [{ text: fold(value()), quoted: false }]
      return ({ name }) => matchPattern(pattern, fold(name))
    }
    case '-path': {
      const pattern = [{ text: value(), quoted: false }]
      return ({ path }) => matchPattern(pattern, path)
    }
    case '-type': {
      const type = value()
      return ({ isFolder }) => type === (isFolder ? 'd' : 'f')
    }
    case '-size':
      return compare(value(), ({ size }, unit) => Math.ceil(size / unit))
    case '-mtime':
      return compare(value(), ({ mtime }, _unit, call) => Math.floor((call.device.clock.now() / 1000 - mtime) / 86_400))
    case '-mmin':
      return compare(value(), ({ mtime }, _unit, call) => Math.floor((call.device.clock.now() / 1000 - mtime) / 60))
    case '-empty':
      return ({ isFolder, size, path }, call) => (isFolder ? call.files.list(path).length === 0 : size === 0)
    default:
      return parseAction(arg, pending)
  }
}

function parseAction(arg: string, pending: string[]): Test {
  switch (arg) {
    case '-print':
    case '-print0':
      return ({ path }, call) => {
        print(call, `${path}${arg === '-print' ? '\n' : '\0'}`)
        return true
      }
    case '-delete':
      return ({ path }, call) => attempt(() => void call.files.remove(path)) === undefined
    case '-exec': {
      const end = pending.findIndex((part) => part === ';' || part === '+')
      if (end === -1) throw new FindError("-exec needs ';'")
      const command = pending.splice(0, end + 1).slice(0, -1)
      return async ({ path }, call) => (await call.run(command.map((part) => part.replaceAll('{}', path)))) === 0
    }
    default:
      throw new FindError(`unknown argument '${arg}'`)
  }
}

const UNITS: Readonly<Record<string, number>> = { c: 1, k: 1024, M: 1024 ** 2, G: 1024 ** 3 }

function compare(text: string, read: (found: Found, unit: number, call: Call) => number): Test {
  const [, sign, digits, unit = ''] = /^([-+]?)(\d+)([ckMG]?)$/.exec(text) ?? []
  if (digits === undefined) throw new FindError(`bad number '${text}'`)
  const wanted = Number(digits)
  return (found, call) => {
    const value = read(found, UNITS[unit] ?? 512, call)
    return sign === '+' ? value > wanted : sign === '-' ? value < wanted : value === wanted
  }
}
