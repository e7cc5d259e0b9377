import { toActivityName, toShortComponent, type App } from '../model/app.ts'
import { clearApp } from '../model/tasks.ts'
import { printError, print, type Call } from '../shell/command.ts'
import { install, uninstall } from './install.ts'
import { parseIntent, UnknownOptionError, type Intent } from './intent.ts'
import { findLink } from '../model/links.ts'

/** `pm` and `cmd package`. */
export function packages(call: Call): number | Promise<number> {
  const [verb = '', ...args] = call.args
  try {
    switch (verb) {
      case 'list':
        return list(call, args)
      case 'path':
        return path(call, args)
      case 'install':
        return install(call, args)
      case 'uninstall':
        return uninstall(call, args)
      case 'clear':
        return clear(call, args)
      case 'resolve-activity':
        return resolveActivity(call, args)
      case 'query-activities':
        return queryActivities(call, args)
      default:
        print(call, `Unknown command: ${verb}\n`)
        return 255
    }
  } catch (error) {
    if (!(error instanceof UnknownOptionError)) throw error
    printError(call, `Error: Unknown option: ${error.message}\n`)
    return 255
  }
}

function list(call: Call, [what, ...args]: readonly string[]): number {
  if (what === 'features') {
    print(call, 'feature:android.hardware.touchscreen\nfeature:android.hardware.wifi\n')
    return 0
  }
  if (what !== 'packages') {
    printError(call, `Error: unknown list type '${what ?? ''}'\n`)
    return 255
  }
  const filter = args.find((arg) => !arg.startsWith('-')) ?? ''
  const apps = [...call.device.apps.values()].filter(
    (app) =>
      app.document.package.includes(filter) &&
      (!args.includes('-3') || !isSystem(app)) &&
      (!args.includes('-s') || isSystem(app)),
  )
  const lines = apps.map((app) => {
    const file = args.includes('-f') ? `${toApkPath(app)}=` : ''
    const version = args.includes('--show-versioncode') ? ` versionCode:${app.document.version.code}` : ''
    return `package:${file}${app.document.package}${version}\n`
  })
  print(call, lines.toSorted().join(''))
  return 0
}

function isSystem(app: App): boolean {
  if (app.apk !== undefined) return false
  return app.document.kind !== 'app' || app.document.package.startsWith('com.android.')
}

function toApkPath(app: App): string {
  const name = app.document.package
  return isSystem(app) ? `/system/app/${name}/${name}.apk` : `/data/app/${name}/base.apk`
}

function path(call: Call, args: readonly string[]): number {
  const app = call.device.apps.get(args.at(-1) ?? '')
  if (app === undefined) return 1
  print(call, `package:${toApkPath(app)}\n`)
  return 0
}

function clear(call: Call, args: readonly string[]): number {
  const app = call.device.apps.get(args.at(-1) ?? '')
  if (app === undefined) {
    print(call, 'Failed\n')
    return 1
  }
  clearApp(call.device, app)
  print(call, 'Success\n')
  return 0
}

const MATCH = 'priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=true'

function resolveActivity(call: Call, args: readonly string[]): number {
  const intent = parseIntent(args)
  const found = findLaunchables(call, intent)[0]
  if (found === undefined) print(call, 'No activity found\n')
  else if (intent.flags.has('--brief')) print(call, `${MATCH}\n${found.component}\n`)
  else print(call, `${MATCH}\n${formatDetails(found, '  ')}`)
  return 0
}

function queryActivities(call: Call, args: readonly string[]): number {
  const intent = parseIntent(args)
  const found = findLaunchables(call, intent)
  if (found.length === 0) {
    print(call, 'No activities found\n')
    return 0
  }
  const brief = intent.flags.has('--brief')
  const entries = found.map(
    (entry, index) =>
      `  Activity #${index}:\n    ${MATCH}\n${brief ? `    ${entry.component}\n` : formatDetails(entry, '    ')}`,
  )
  print(call, `${found.length} activities found:\n${entries.join('')}`)
  return 0
}

interface Launchable {
  readonly app: App
  readonly component: string
}

/** The activities that an intent resolves to. Each app has one launcher activity. */
function findLaunchables(call: Call, intent: Intent): readonly Launchable[] {
  const { apps } = call.device
  const home = intent.categories.includes('android.intent.category.HOME')
  if (intent.data !== undefined) {
    const link = findLink(call.device, intent.data, intent.packageName)
    return link === undefined ? [] : [{ app: link.app, component: toComponent(link.app, link.screen) }]
  }
  return [...apps.values()]
    .filter((app) => app.document.kind === (home ? 'launcher' : 'app'))
    .filter((app) => intent.packageName === undefined || app.document.package === intent.packageName)
    .map((app) => ({ app, component: toComponent(app, app.document.launch_screen) }))
}

function toComponent(app: App, screen: string): string {
  return toShortComponent(app.document.package, toActivityName(app, screen))
}

function formatDetails({ app }: Launchable, indent: string): string {
  const name = toActivityName(app, app.document.launch_screen)
  const lines = [
    'ActivityInfo:',
    `  name=${name}`,
    `  packageName=${app.document.package}`,
    '  enabled=true exported=true',
  ]
  return lines.map((line) => `${indent}${line}\n`).join('')
}
