import {
  numberOf,
  parseJson,
  PeerUsage,
  type PeerWords,
  readPeerWords,
  selectorOf,
} from './peer-words.ts'

/** What a script asks for through the device program. */
export type PeerCommand =
  | {
      readonly kind: 'execution'
      readonly payload: unknown
      readonly serial?: string | undefined
      readonly timeout_ms?: number | undefined
      readonly form: 'run' | 'validate_only' | 'dry_run'
    }
  | { readonly kind: 'devices' }
  | { readonly kind: 'version' }
  | { readonly kind: 'usage'; readonly message: string }

/** The peer's command line, as far as scripts of skills use it. */
export function readPeerCommand(argv: readonly string[]): PeerCommand {
  try {
    return commandOf(readPeerWords(argv))
  } catch (error) {
    if (error instanceof PeerUsage) return { kind: 'usage', message: error.message }
    throw error
  }
}

function commandOf(words: PeerWords): PeerCommand {
  const { command, flags } = words
  if (command === 'devices') return { kind: 'devices' }
  if (command === 'version' || flags.has('version')) return { kind: 'version' }
  const serial = flags.get('device')
  if (command === 'exec' || command === 'execute') {
    const payload = flags.get('payload') ?? words.positionals[0]
    if (payload === undefined) throw new PeerUsage('exec needs --payload')
    return {
      kind: 'execution',
      payload: parseJson(payload, 'the payload'),
      serial,
      timeout_ms: numberOf(flags, 'timeout'),
      form: formOf(flags),
    }
  }
  const build = builders.get(command)
  if (build === undefined) throw new PeerUsage(`There is no command ${command || '(none)'}.`)
  const { timeoutMs, ...action } = build(words)
  const payload = { timeoutMs, actions: [{ id: command, ...action }] }
  return { kind: 'execution', payload, serial, form: 'run' }
}

const formOf = (flags: PeerWords['flags']): 'run' | 'validate_only' | 'dry_run' =>
  flags.has('validate-only') || flags.has('validate')
    ? 'validate_only'
    : flags.has('dry-run')
      ? 'dry_run'
      : 'run'

interface Built {
  readonly type: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly timeoutMs: number
}
type Builder = (words: PeerWords) => Built

const usualMs = 30_000

const click: Builder = ({ flags }) => {
  const coordinate = flags
    .get('coordinate')
    ?.split(/[\s,]+/)
    .map(Number)
  const params =
    coordinate === undefined
      ? { matcher: needed(selectorOf(flags), 'click'), ...strict(flags), ...container(flags) }
      : { coordinate: { x: coordinate[0], y: coordinate[1] } }
  const clickType =
    flags.has('long') || flags.has('long-press') ? 'long_click' : flags.has('focus') ? 'focus' : ''
  return {
    type: 'click',
    params: { ...params, ...(clickType === '' ? {} : { clickType }) },
    timeoutMs: budget(flags, usualMs),
  }
}

const open: Builder = (words) => {
  const target = named(words, 'app', 'open')
  const timeoutMs = budget(words.flags, 15_000)
  return /^[a-z][a-z0-9+.-]*:/i.test(target)
    ? { type: 'open_uri', params: { uri: target }, timeoutMs }
    : { type: 'open_app', params: { applicationId: target }, timeoutMs }
}

const type: Builder = ({ flags, positionals }) => {
  const text = flags.get('text') ?? positionals[0]
  const matcher = needed(selectorOf(flags, { except: 'text' }), 'type')
  const [submit, clear] = [flags.has('submit'), flags.has('clear')]
  const params = { matcher, text, submit, clear, ...strict(flags), ...container(flags) }
  return { type: 'enter_text', params, timeoutMs: budget(flags, usualMs) }
}

const read: Builder = ({ flags }) => ({
  type: 'read_text',
  params: {
    matcher: needed(selectorOf(flags), 'read'),
    ...(flags.has('all') ? { all: true } : {}),
    ...given(flags, { validator: 'validator', 'validator-pattern': 'validatorPattern' }),
    ...strict(flags),
    ...container(flags),
  },
  timeoutMs: budget(flags, usualMs),
})

const wait: Builder = ({ flags }) => {
  const timeoutMs = numberOf(flags, 'timeout')
  return {
    type: 'wait_for_node',
    params: {
      matcher: needed(selectorOf(flags), 'wait'),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...strict(flags),
      ...container(flags),
    },
    timeoutMs: Math.max((timeoutMs ?? 0) + 5000, usualMs),
  }
}

const waitForNavigation: Builder = ({ flags }) => {
  const timeoutMs = numberOf(flags, 'timeout') ?? 10_000
  const expectedNode = selectorOf(flags)
  return {
    type: 'wait_for_navigation',
    params: {
      timeoutMs,
      ...given(flags, { app: 'expectedPackage' }),
      ...(expectedNode === undefined ? {} : { expectedNode }),
    },
    timeoutMs: Math.max(timeoutMs + 5000, usualMs),
  }
}

const scrolling =
  (type: string): Builder =>
  ({ flags, positionals }) => {
    const matcher = type === 'scroll' ? undefined : needed(selectorOf(flags), type)
    const direction = flags.get('direction') ?? positionals[0]
    return {
      type,
      params: {
        ...(matcher === undefined ? {} : { matcher }),
        ...(direction === undefined ? {} : { direction }),
        ...(type === 'scroll_until' && flags.has('click') ? { clickAfter: true } : {}),
        ...container(flags),
      },
      timeoutMs: budget(flags, usualMs),
    }
  }

const pressing =
  (fixed?: string): Builder =>
  (words) => ({
    type: 'press_key',
    params: { key: fixed ?? named(words, 'key', 'press') },
    timeoutMs: budget(words.flags, 10_000),
  })

const sleep: Builder = (words) => {
  const durationMs = Number(named(words, 'duration', 'sleep'))
  const timeoutMs = Math.max(durationMs + 5000, usualMs)
  return { type: 'sleep', params: { durationMs }, timeoutMs }
}

const builders: ReadonlyMap<string, Builder> = new Map(
  Object.entries<Builder>({
    snapshot: ({ flags }) => ({ type: 'snapshot', timeoutMs: budget(flags, usualMs) }),
    screenshot: ({ flags }) => ({
      type: 'take_screenshot',
      params: given(flags, { path: 'path' }),
      timeoutMs: budget(flags, usualMs),
    }),
    open,
    'open-app': open,
    'open-uri': open,
    close: (words) => ({
      type: 'close_app',
      params: { applicationId: named(words, 'app', 'close') },
      timeoutMs: budget(words.flags, usualMs),
    }),
    click,
    tap: click,
    type,
    fill: type,
    read,
    'read-value': ({ flags }) => ({
      type: 'read_key_value_pair',
      params: { labelMatcher: needed(selectorOf(flags), 'read-value') },
      timeoutMs: budget(flags, usualMs),
    }),
    wait,
    'wait-for-nav': waitForNavigation,
    press: pressing(),
    'press-key': pressing(),
    back: pressing('back'),
    sleep,
    scroll: scrolling('scroll'),
    'scroll-until': scrolling('scroll_until'),
    'scroll-and-click': scrolling('scroll_and_click'),
  }),
)

const budget = (flags: PeerWords['flags'], usual: number): number =>
  numberOf(flags, 'timeout') ?? usual

function needed(matcher: unknown, command: string): unknown {
  if (matcher === undefined) throw new PeerUsage(`${command} needs a selector`)
  return matcher
}

function named({ flags, positionals }: PeerWords, flag: string, command: string): string {
  const value = positionals[0] ?? flags.get(flag)
  if (value === undefined) throw new PeerUsage(`${command} needs its argument`)
  return value
}

const strict = (flags: PeerWords['flags']): object => (flags.has('strict') ? { strict: true } : {})

function container(flags: PeerWords['flags']): object {
  const found = selectorOf(flags, { prefix: 'container-' })
  return found === undefined ? {} : { container: found }
}

const given = (
  flags: PeerWords['flags'],
  names: Readonly<Record<string, string>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(names).flatMap(([flag, key]) => {
      const value = flags.get(flag)
      return value === undefined ? [] : [[key, value]]
    }),
  )
