import {
  readNumber,
  parseJson,
  PeerUsageError,
  type PeerArguments,
  parsePeerArguments,
  readSelector,
} from './peer-arguments.ts'

/** A request of a script through the device program. */
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

/** Parses the part of the peer's command line that skill scripts use. */
export function parsePeerCommand(argv: readonly string[]): PeerCommand {
  try {
    return toPeerCommand(parsePeerArguments(argv))
  } catch (error) {
    if (error instanceof PeerUsageError) return { kind: 'usage', message: error.message }
    throw error
  }
}

function toPeerCommand(args: PeerArguments): PeerCommand {
  const { command, flags } = args
  if (command === 'devices') return { kind: 'devices' }
  if (command === 'version' || flags.has('version')) return { kind: 'version' }
  const serial = flags.get('device')
  if (command === 'exec' || command === 'execute') {
    const payload = flags.get('payload') ?? args.positionals[0]
    if (payload === undefined) throw new PeerUsageError('exec needs --payload')
    return {
      kind: 'execution',
      payload: parseJson(payload, 'the payload'),
      serial,
      timeout_ms: readNumber(flags, 'timeout'),
      form: readForm(flags),
    }
  }
  const build = builders.get(command)
  if (build === undefined) throw new PeerUsageError(`unknown command ${command || '(none)'}`)
  const { timeoutMs, ...action } = build(args)
  const payload = { timeoutMs, actions: [{ id: command, ...action }] }
  return { kind: 'execution', payload, serial, form: 'run' }
}

const readForm = (flags: PeerArguments['flags']): 'run' | 'validate_only' | 'dry_run' =>
  flags.has('validate-only') || flags.has('validate') ? 'validate_only' : flags.has('dry-run') ? 'dry_run' : 'run'

interface BuiltAction {
  readonly type: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly timeoutMs: number
}
type ActionBuilder = (args: PeerArguments) => BuiltAction

const DEFAULT_TIMEOUT_MS = 30_000

const buildClick: ActionBuilder = ({ flags }) => {
  const coordinate = flags
    .get('coordinate')
    ?.split(/[\s,]+/)
    .map(Number)
  const params =
    coordinate === undefined
      ? {
          matcher: requireSelector(readSelector(flags), 'click'),
          ...readStrict(flags),
          ...readContainer(flags),
        }
      : { coordinate: { x: coordinate[0], y: coordinate[1] } }
  const clickType = flags.has('long') || flags.has('long-press') ? 'long_click' : flags.has('focus') ? 'focus' : ''
  return {
    type: 'click',
    params: { ...params, ...(clickType === '' ? {} : { clickType }) },
    timeoutMs: readTimeout(flags, DEFAULT_TIMEOUT_MS),
  }
}

const buildOpen: ActionBuilder = (args) => {
  const target = args.flags.get('uri') ?? requireArgument(args, 'app', 'open')
  const timeoutMs = readTimeout(args.flags, 15_000)
  return /^[a-z][a-z0-9+.-]*:/i.test(target)
    ? { type: 'open_uri', params: { uri: target }, timeoutMs }
    : { type: 'open_app', params: { applicationId: target }, timeoutMs }
}

const buildClose: ActionBuilder = (args) => ({
  type: 'close_app',
  params: { applicationId: requireArgument(args, 'app', 'close') },
  timeoutMs: readTimeout(args.flags, DEFAULT_TIMEOUT_MS),
})

const buildType: ActionBuilder = ({ flags, positionals }) => {
  const text = flags.get('text') ?? positionals[0]
  const matcher = requireSelector(readSelector(flags, { except: 'text' }), 'type')
  const [submit, clear] = [flags.has('submit'), flags.has('clear')]
  const params = { matcher, text, submit, clear, ...readStrict(flags), ...readContainer(flags) }
  return { type: 'enter_text', params, timeoutMs: readTimeout(flags, DEFAULT_TIMEOUT_MS) }
}

const buildRead: ActionBuilder = ({ flags }) => ({
  type: 'read_text',
  params: {
    matcher: requireSelector(readSelector(flags), 'read'),
    ...(flags.has('all') ? { all: true } : {}),
    ...pickFlags(flags, { validator: 'validator', 'validator-pattern': 'validatorPattern' }),
    ...readStrict(flags),
    ...readContainer(flags),
  },
  timeoutMs: readTimeout(flags, DEFAULT_TIMEOUT_MS),
})

const buildWait: ActionBuilder = ({ flags }) => {
  const timeoutMs = readNumber(flags, 'timeout')
  return {
    type: 'wait_for_node',
    params: {
      matcher: requireSelector(readSelector(flags), 'wait'),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...readStrict(flags),
      ...readContainer(flags),
    },
    timeoutMs: Math.max((timeoutMs ?? 0) + 5000, DEFAULT_TIMEOUT_MS),
  }
}

const buildWaitForNavigation: ActionBuilder = ({ flags }) => {
  const timeoutMs = readNumber(flags, 'timeout') ?? 10_000
  const expectedNode = readSelector(flags)
  return {
    type: 'wait_for_navigation',
    params: {
      timeoutMs,
      ...pickFlags(flags, { app: 'expectedPackage' }),
      ...(expectedNode === undefined ? {} : { expectedNode }),
    },
    timeoutMs: Math.max(timeoutMs + 5000, DEFAULT_TIMEOUT_MS),
  }
}

const createScrollBuilder =
  (type: string): ActionBuilder =>
  ({ flags, positionals }) => {
    const matcher = type === 'scroll' ? undefined : requireSelector(readSelector(flags), type)
    const direction = flags.get('direction') ?? positionals[0]
    return {
      type,
      params: {
        ...(matcher === undefined ? {} : { matcher }),
        ...(direction === undefined ? {} : { direction }),
        ...(type === 'scroll_until' && flags.has('click') ? { clickAfter: true } : {}),
        ...readContainer(flags),
      },
      timeoutMs: readTimeout(flags, DEFAULT_TIMEOUT_MS),
    }
  }

const createPressBuilder =
  (fixed?: string): ActionBuilder =>
  (args) => ({
    type: 'press_key',
    params: { key: fixed ?? requireArgument(args, 'key', 'press') },
    timeoutMs: readTimeout(args.flags, 10_000),
  })

const buildSleep: ActionBuilder = (args) => {
  const durationMs = Number(requireArgument(args, 'duration', 'sleep'))
  const timeoutMs = Math.max(durationMs + 5000, DEFAULT_TIMEOUT_MS)
  return { type: 'sleep', params: { durationMs }, timeoutMs }
}

const builders: ReadonlyMap<string, ActionBuilder> = new Map(
  Object.entries<ActionBuilder>({
    snapshot: ({ flags }) => ({
      type: 'snapshot',
      timeoutMs: readTimeout(flags, DEFAULT_TIMEOUT_MS),
    }),
    screenshot: ({ flags }) => ({
      type: 'take_screenshot',
      params: pickFlags(flags, { path: 'path' }),
      timeoutMs: readTimeout(flags, DEFAULT_TIMEOUT_MS),
    }),
    open: buildOpen,
    'open-app': buildOpen,
    'open-url': buildOpen,
    'open-uri': buildOpen,
    'close-app': buildClose,
    close: buildClose,
    click: buildClick,
    tap: buildClick,
    type: buildType,
    fill: buildType,
    'enter-text': buildType,
    read: buildRead,
    'read-text': buildRead,
    'read-value': ({ flags }) => ({
      type: 'read_key_value_pair',
      params: { labelMatcher: requireSelector(readSelector(flags), 'read-value') },
      timeoutMs: readTimeout(flags, DEFAULT_TIMEOUT_MS),
    }),
    wait: buildWait,
    'wait-for-node': buildWait,
    'wait-for-nav': buildWaitForNavigation,
    'wait-for-navigation': buildWaitForNavigation,
    press: createPressBuilder(),
    'press-key': createPressBuilder(),
    back: createPressBuilder('back'),
    sleep: buildSleep,
    scroll: createScrollBuilder('scroll'),
    'scroll-until': createScrollBuilder('scroll_until'),
    'scroll-and-click': createScrollBuilder('scroll_and_click'),
  }),
)

const readTimeout = (flags: PeerArguments['flags'], fallback: number): number =>
  readNumber(flags, 'timeout') ?? fallback

function requireSelector(matcher: unknown, command: string): unknown {
  if (matcher === undefined) throw new PeerUsageError(`${command} needs a selector`)
  return matcher
}

function requireArgument({ flags, positionals }: PeerArguments, flag: string, command: string): string {
  const value = positionals[0] ?? flags.get(flag)
  if (value === undefined) throw new PeerUsageError(`${command} needs an argument`)
  return value
}

const readStrict = (flags: PeerArguments['flags']): object => (flags.has('strict') ? { strict: true } : {})

function readContainer(flags: PeerArguments['flags']): object {
  const found = readSelector(flags, { prefix: 'container-' })
  return found === undefined ? {} : { container: found }
}

const pickFlags = (flags: PeerArguments['flags'], names: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(names).flatMap(([flag, key]) => {
      const value = flags.get(flag)
      return value === undefined ? [] : [[key, value]]
    }),
  )
