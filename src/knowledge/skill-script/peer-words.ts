/** A command line of the peer's program, taken apart. */
export interface PeerWords {
  readonly command: string
  readonly positionals: readonly string[]
  readonly flags: ReadonlyMap<string, string>
}

/** The command line cannot be understood. */
export class PeerUsage extends Error {}

const switches = new Set([
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

/** Names one thing goes by. */
const aliases: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'device-id': 'device',
    serial: 'device',
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

export function readPeerWords(argv: readonly string[]): PeerWords {
  const positionals: string[] = []
  const flags = new Map<string, string>()
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? ''
    if (!word.startsWith('--') || word === '--') {
      if (word !== '--') positionals.push(word)
      continue
    }
    const equals = word.indexOf('=')
    const written = word.slice(2, equals === -1 ? undefined : equals)
    const name = aliases.get(written) ?? written
    if (equals !== -1) flags.set(name, word.slice(equals + 1))
    else if (switches.has(name)) flags.set(name, 'true')
    else {
      const taken = name === 'coordinate' ? 2 : 1
      const values = argv.slice(at + 1, at + 1 + taken)
      if (values.length < taken) throw new PeerUsage(`--${written} needs a value`)
      flags.set(name, values.join(' '))
      at += taken
    }
  }
  // Older forms put a family in front: `action click`, `observe snapshot`.
  const [first = '', ...rest] = positionals
  const family = first === 'action' || first === 'observe'
  return {
    command: family ? (rest[0] ?? '') : first,
    positionals: family ? rest.slice(1) : rest,
    flags,
  }
}

const selectorKeys: Readonly<Record<string, string>> = {
  text: 'textEquals',
  'text-contains': 'textContains',
  id: 'resourceId',
  desc: 'contentDescEquals',
  'desc-contains': 'contentDescContains',
  role: 'role',
}

/** The matcher the flags ask for; undefined when they ask for none. */
export function selectorOf(
  flags: PeerWords['flags'],
  { prefix = '', except = '' }: { prefix?: string; except?: string } = {},
): unknown {
  const raw = flags.get(`${prefix}selector`)
  const pairs = Object.entries(selectorKeys)
    .filter(([flag]) => flag !== except)
    .flatMap(([flag, key]) => {
      const value = flags.get(prefix + flag)
      return value === undefined ? [] : [[key, value] as const]
    })
  if (raw === undefined) return pairs.length === 0 ? undefined : Object.fromEntries(pairs)
  if (pairs.length > 0) {
    throw new PeerUsage(`use --${prefix}selector OR the simple flags, not both`)
  }
  return parseJson(raw, `--${prefix}selector`)
}

export function parseJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new PeerUsage(`${what} is not JSON`)
  }
}

export function numberOf(flags: PeerWords['flags'], name: string): number | undefined {
  const written = flags.get(name)
  if (written === undefined) return undefined
  const value = Number(written)
  if (written.trim() === '' || !Number.isFinite(value)) {
    throw new PeerUsage(`--${name} takes a number`)
  }
  return value
}
