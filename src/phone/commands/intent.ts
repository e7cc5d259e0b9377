/** An intent as it is written on a command line. */
export interface Intent {
  readonly action?: string
  readonly data?: string
  readonly categories: readonly string[]
  readonly packageName?: string
  readonly component?: string
  readonly extras: ReadonlyMap<string, string>
  /** Options of the command itself that were given: `-W`, `-S`. */
  readonly flags: ReadonlySet<string>
}

export class UnknownOption extends Error {}

const WITH_VALUE: Readonly<Record<string, 'action' | 'data' | 'packageName' | 'component'>> = {
  '-a': 'action',
  '-d': 'data',
  '-p': 'packageName',
  '-n': 'component',
}
const IGNORED_VALUE = new Set(['-t', '-f', '--user', '--display', '-i', '--windowingMode', '-R'])
const EXTRAS = new Set(['-e', '--es', '--ei', '--el', '--ef', '--ez', '--eu', '--esn'])
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
  '--components',
])

/** Reads the words in order. A word alone is a component, an address or a package. */
export function parseIntent(args: readonly string[]): Intent {
  const fields: Partial<Record<'action' | 'data' | 'packageName' | 'component', string>> = {}
  const categories: string[] = []
  const extras = new Map<string, string>()
  const flags = new Set<string>()
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? ''
    const field = WITH_VALUE[word]
    if (field !== undefined) fields[field] = args[(at += 1)] ?? ''
    else if (word === '-c') categories.push(args[(at += 1)] ?? '')
    else if (EXTRAS.has(word)) extras.set(args[(at += 1)] ?? '', args[(at += 1)] ?? '')
    else if (IGNORED_VALUE.has(word)) at += 1
    else if (FLAGS.has(word)) flags.add(word)
    else if (word.startsWith('-')) throw new UnknownOption(word)
    else fields[fieldOf(word)] = word
  }
  return { ...fields, categories, extras, flags }
}

function fieldOf(word: string): 'data' | 'packageName' | 'component' {
  if (/^[a-z][a-z0-9+.-]*:/i.test(word)) return 'data'
  return word.includes('/') ? 'component' : 'packageName'
}

/** As Android prints it: `Intent { act=... dat=... cmp=... (has extras) }`. */
export function showIntent(intent: Intent, flags?: string): string {
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
