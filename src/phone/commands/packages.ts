import { toActivityName, toShortComponent, type App } from '../model/app.ts'
import { clearApp, stopApp } from '../model/tasks.ts'
import { printError, print, type Call } from '../shell/command.ts'
import { install, uninstall } from './install.ts'
import { formatPackage } from './package-report.ts'
import { changePermission } from './permissions.ts'
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
      case 'grant':
      case 'revoke':
        return changePermission(call, verb, args)
      case 'enable':
      case 'disable':
      case 'disable-user':
        return changeState(call, verb, args)
      case 'dump':
        print(call, formatPackage(call, args[0] ?? ''))
        return 0
      case 'has-feature':
        print(call, `${FEATURES.includes(args[0] ?? '')}\n`)
        return FEATURES.includes(args[0] ?? '') ? 0 : 1
      case 'get-install-location':
        print(call, '0[auto]\n')
        return 0
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

const FEATURES = [
  'android.hardware.screen.portrait',
  'android.hardware.touchscreen',
  'android.hardware.touchscreen.multitouch',
  'android.hardware.wifi',
  'android.software.input_methods',
]

function list(call: Call, [what = '', ...args]: readonly string[]): number {
  switch (what) {
    case 'features':
      print(call, FEATURES.map((name) => `feature:${name}\n`).join(''))
      return 0
    case 'users':
      print(call, 'Users:\n\tUserInfo{0:Owner:4c13} running\n')
      return 0
    case 'libraries':
      print(call, 'library:android.test.base\nlibrary:org.apache.http.legacy\n')
      return 0
    case 'instrumentation':
      print(call, listInstrumentations(call))
      return 0
    case 'packages':
    case 'package':
      print(call, listPackages(call, args))
      return 0
    default:
      printError(call, `Error: unknown list type '${what}'\n`)
      return 255
  }
}

function listInstrumentations({ device }: Call): string {
  const lines = [...device.apps.values()].flatMap(({ document, apk }) =>
    (apk?.instrumentations ?? []).map(
      (name) => `instrumentation:${document.package}/${name} (target=${document.package})\n`,
    ),
  )
  return lines.toSorted().join('')
}

function listPackages({ device }: Call, all: readonly string[]): string {
  const args = all.filter((arg, at) => !/^--(?:user|uid)$/.test(arg) && !/^--(?:user|uid)$/.test(all[at - 1] ?? ''))
  const filter = args.find((arg) => !arg.startsWith('-')) ?? ''
  const isOff = (app: App): boolean => device.packageSettings.disabled.has(app.document.package)
  const apps = [...device.apps.values()].filter(
    (app) =>
      app.document.package.includes(filter) &&
      (!args.includes('-3') || !isSystem(app)) &&
      (!args.includes('-s') || isSystem(app)) &&
      (!args.includes('-d') || isOff(app)) &&
      (!args.includes('-e') || !isOff(app)),
  )
  const lines = apps.map((app) => {
    const file = args.includes('-f') ? `${toApkPath(app)}=` : ''
    const version = args.includes('--show-versioncode') ? ` versionCode:${app.document.version.code}` : ''
    const installer = args.includes('-i') ? '  installer=null' : ''
    const uid = args.includes('-U') ? ` uid:${app.userId}` : ''
    return `package:${file}${app.document.package}${version}${installer}${uid}\n`
  })
  return lines.toSorted().join('')
}

/** `pm enable|disable-user PACKAGE`. The shell user cannot switch a package off for all users. */
function changeState(call: Call, verb: string, args: readonly string[]): number {
  const name = args.findLast((arg) => !arg.startsWith('-')) ?? ''
  const app = call.device.apps.get(name)
  if (app === undefined || verb === 'disable') {
    const reason =
      app === undefined
        ? `IllegalArgumentException: Unknown package: ${name}`
        : `SecurityException: Shell cannot change component state for ${name} to 2`
    printError(call, `\nException occurred while executing '${verb}':\njava.lang.${reason}\n`)
    return 255
  }
  const { disabled } = call.device.packageSettings
  if (verb === 'enable') disabled.delete(name)
  else disabled.add(name)
  if (verb !== 'enable') stopApp(call.device, app)
  print(call, `Package ${name} new state: ${verb === 'enable' ? 'enabled' : 'disabled-user'}\n`)
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
  const { disabled } = call.device.packageSettings
  return [...apps.values()]
    .filter((app) => !disabled.has(app.document.package))
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
