/** An intent given on a command line. */
export interface Intent {
  readonly action?: string
  readonly data?: string
  readonly categories: readonly string[]
  readonly packageName?: string
  readonly component?: string
  readonly extras: ReadonlyMap<string, string>
  /** Flags of the command: `-W`, `-S`. */
  readonly flags: ReadonlySet<string>
}

export class UnknownOptionError extends Error {}

const FIELD_OPTIONS: Readonly<Record<string, 'action' | 'data' | 'packageName' | 'component'>> = {
  '-a': 'action',
  '-d': 'data',
  '-p': 'packageName',
  '-n': 'component',
}
const IGNORED_OPTIONS = new Set([
  '-t',
  '-f',
  '--user',
  '--display',
  '-i',
  '--windowingMode',
  '-R',
  '-P',
  '--receiver-permission',
  '--task',
])
const EXTRA_OPTIONS = new Set(
  '-e --es --ei --el --ef --ed --ez --eu --ecn --eia --eial --ela --elal --efa --efal --esa --esal'.split(' '),
)
const FLAGS = new Set([
  '-W',
  '-S',
  '-D',
  '-N',
  '--activity-clear-top',
  '--activity-clear-task',
  '--activity-single-top',
  '--include-stopped-packages',
  '--receiver-foreground',
  '--brief',
  '--activity-brought-to-front',
  '--activity-exclude-from-recents',
  '--activity-launched-from-history',
  '--activity-multiple-task',
  '--activity-no-animation',
  '--activity-no-history',
  '--activity-no-user-action',
  '--activity-previous-is-top',
  '--activity-reorder-to-front',
  '--activity-reset-task-if-needed',
  '--exclude-stopped-packages',
  '--grant-read-uri-permission',
  '--grant-write-uri-permission',
  '--receiver-registered-only',
  '--receiver-replace-pending',
  '--components',
])

/** Parses the arguments of an intent. A bare argument is a component, a URI or a package. */
export function parseIntent(args: readonly string[]): Intent {
  const fields: Partial<Record<'action' | 'data' | 'packageName' | 'component', string>> = {}
  const categories: string[] = []
  const extras = new Map<string, string>()
  const flags = new Set<string>()
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    const field = FIELD_OPTIONS[arg]
    if (field !== undefined) fields[field] = args[(at += 1)] ?? ''
    else if (arg === '-c') categories.push(args[(at += 1)] ?? '')
    else if (EXTRA_OPTIONS.has(arg)) extras.set(args[(at += 1)] ?? '', args[(at += 1)] ?? '')
    else if (arg === '--esn') extras.set(args[(at += 1)] ?? '', '')
    else if (IGNORED_OPTIONS.has(arg)) at += 1
    else if (FLAGS.has(arg)) flags.add(arg)
    else if (arg.startsWith('-')) throw new UnknownOptionError(arg)
    else fields[classifyArg(arg)] = arg
  }
  return { ...fields, categories, extras, flags }
}

function classifyArg(arg: string): 'data' | 'packageName' | 'component' {
  if (/^[a-z][a-z0-9+.-]*:/i.test(arg)) return 'data'
  return arg.includes('/') ? 'component' : 'packageName'
}

/** Formats an intent as Android does: `Intent { act=... dat=... cmp=... (has extras) }`. */
export function formatIntent(intent: Intent, flags?: string): string {
  const parts = [
    intent.action === undefined ? '' : `act=${intent.action}`,
    intent.categories.length === 0 ? '' : `cat=[${intent.categories.join(',')}]`,
    intent.data === undefined ? '' : `dat=${intent.data}`,
    flags === undefined ? '' : `flg=${flags}`,
    intent.packageName === undefined ? '' : `pkg=${intent.packageName}`,
    intent.component === undefined ? '' : `cmp=${intent.component}`,
    intent.extras.size === 0 ? '' : '(has extras)',
  ]
  return `Intent { ${parts.filter((part) => part !== '').join(' ')} }`
}
