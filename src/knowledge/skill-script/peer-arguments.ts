/** A parsed command line of the peer's program. */
export interface PeerArguments {
  readonly command: string
  readonly positionals: readonly string[]
  readonly flags: ReadonlyMap<string, string>
}

/** The command line is invalid. */
export class PeerUsageError extends Error {}

/** Flags without a value. */
const SWITCHES = new Set([
  'json',
  'validate-only',
  'validate',
  'dry-run',
  'submit',
  'clear',
  'all',
  'strict',
  'focus',
  'long',
  'long-press',
  'click',
  'verbose',
])

const FLAG_ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'device-id': 'device',
    serial: 'device',
    'application-id': 'app',
    package: 'app',
    url: 'uri',
    'receiver-package': 'operator-package',
    'timeout-ms': 'timeout',
    format: 'output',
    execution: 'payload',
    input: 'payload',
    file: 'payload',
    'matcher-json': 'selector',
    'resource-id': 'id',
    'content-desc': 'desc',
    'content-desc-contains': 'desc-contains',
    'container-json': 'container-selector',
    'container-resource-id': 'container-id',
    'container-content-desc': 'container-desc',
    'container-content-desc-contains': 'container-desc-contains',
  }),
)

export function parsePeerArguments(argv: readonly string[]): PeerArguments {
  const positionals: string[] = []
  const flags = new Map<string, string>()
  for (let at = 0; at < argv.length; at += 1) {
    const token = argv[at] ?? ''
    if (!token.startsWith('--') || token === '--') {
      if (token !== '--') positionals.push(token)
      continue
    }
    const equals = token.indexOf('=')
    const written = token.slice(2, equals === -1 ? undefined : equals)
    const name = FLAG_ALIASES.get(written) ?? written
    if (equals !== -1) flags.set(name, token.slice(equals + 1))
    else if (SWITCHES.has(name)) flags.set(name, 'true')
    else {
      const count = name === 'coordinate' ? 2 : 1
      const values = argv.slice(at + 1, at + 1 + count)
      if (values.length < count) throw new PeerUsageError(`--${written} needs a value`)
      flags.set(name, values.join(' '))
      at += count
    }
  }
  // Older forms start with a family: `action click`, `observe snapshot`.
  const [first = '', ...rest] = positionals
  const family = first === 'action' || first === 'observe'
  return {
    command: family ? (rest[0] ?? '') : first,
    positionals: family ? rest.slice(1) : rest,
    flags,
  }
}

const SELECTOR_KEYS: Readonly<Record<string, string>> = {
  text: 'textEquals',
  'text-contains': 'textContains',
  id: 'resourceId',
  desc: 'contentDescEquals',
  'desc-contains': 'contentDescContains',
  role: 'role',
}

/** Undefined when no selector flag is given. */
export function readSelector(
  flags: PeerArguments['flags'],
  { prefix = '', except = '' }: { prefix?: string; except?: string } = {},
): unknown {
  const raw = flags.get(`${prefix}selector`)
  const pairs = Object.entries(SELECTOR_KEYS)
    .filter(([flag]) => flag !== except)
    .flatMap(([flag, key]) => {
      const value = flags.get(prefix + flag)
      return value === undefined ? [] : [[key, value] as const]
    })
  if (raw === undefined) return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
  if (pairs.length > 0) {
    throw new PeerUsageError(`use --${prefix}selector OR the simple flags, not both`)
  }
  return parseJson(raw, `--${prefix}selector`)
}

export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new PeerUsageError(`${what} is not JSON`)
  }
}

export function readNumber(flags: PeerArguments['flags'], name: string): number | undefined {
  const written = flags.get(name)
  if (written === undefined) return undefined
  const value = Number(written)
  if (written.trim() === '' || !Number.isFinite(value)) {
    throw new PeerUsageError(`--${name} takes a number`)
  }
  return value
}
