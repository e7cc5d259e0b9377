import { formatValue } from '../documents/evaluation.ts'
import { printError, print, type Call } from '../shell/command.ts'
import { putSetting } from './settings.ts'

type Space = 'system' | 'secure' | 'global'

interface Request {
  readonly uri: string
  readonly values: ReadonlyMap<string, string>
  readonly where: string | undefined
  readonly projection: readonly string[]
}

/** `content query|insert|update|delete|read|call --uri content://settings/...`. The settings are the only provider. */
export function content(call: Call): number {
  const [verb = '', ...args] = call.args
  const request = parseRequest(args)
  const { uri, values } = request
  if (!['query', 'insert', 'update', 'delete'].includes(verb)) {
    printError(call, `[ERROR] Unsupported operation: ${verb}\n`)
    return 1
  }
  const [, space, name] = /^content:\/\/settings\/(system|secure|global)(?:\/([\w.-]+))?$/.exec(uri) ?? []
  if (space === undefined) return reportMissing(call, uri)
  const row = { space: space as Space, name: name ?? values.get('name') ?? nameOf(request.where) }
  if (verb === 'query') return query(call, row, request)
  if (row.name === undefined) {
    printError(call, '[ERROR] The name of the setting is missing\n')
    return 1
  }
  if (verb === 'delete') delete call.device.settings[row.space][row.name]
  else putSetting(call, row.space, row.name, values.get('value') ?? '')
  return 0
}

function reportMissing(call: Call, uri: string): number {
  const authority = /^content:\/\/([^/]*)/.exec(uri)?.[1]
  printError(
    call,
    authority === undefined
      ? '[ERROR] Argument "--uri" is mandatory or no content URI\n'
      : `Error while accessing provider:${authority}\njava.lang.IllegalStateException: Could not find provider: ${authority}\n`,
  )
  return 1
}

function parseRequest(args: readonly string[]): Request {
  const values = new Map<string, string>()
  const options = new Map<string, string>()
  for (let at = 0; at < args.length; at += 2) {
    const [option = '', value = ''] = [args[at], args[at + 1]]
    if (option !== '--bind') options.set(option, value)
    const [, name, bound] = option === '--bind' ? (/^([^:]+):[a-z]:(.*)$/s.exec(value) ?? []) : []
    if (name !== undefined) values.set(name, bound ?? '')
  }
  const projection = options.get('--projection')?.split(':') ?? []
  return { uri: options.get('--uri') ?? '', values, where: options.get('--where'), projection }
}

/** The name in `name='user_rotation'`. */
function nameOf(where: string | undefined): string | undefined {
  return /^\s*name\s*=\s*['"]?([\w.-]+)['"]?\s*$/.exec(where ?? '')?.[1]
}

function query(
  call: Call,
  { space, name }: { space: Space; name: string | undefined },
  { projection }: Request,
): number {
  const table = call.device.settings[space]
  const names = Object.keys(table).filter((key) => name === undefined || key === name)
  if (names.length === 0) {
    print(call, 'No result found.\n')
    return 0
  }
  const lines = names.map((key, at) => {
    const columns: Readonly<Record<string, string>> = { _id: String(at + 1), name: key, value: formatValue(table[key]) }
    const shown = projection.length === 0 ? Object.keys(columns) : projection
    return `Row: ${at} ${shown.map((column) => `${column}=${columns[column] ?? 'NULL'}`).join(', ')}\n`
  })
  print(call, lines.join(''))
  return 0
}
