import { openScreen, startApp } from '../model/actions.ts'
import { toActivityName, toShortComponent, type App } from '../model/app.ts'
import type { Device } from '../model/device.ts'
import type { StateRecord } from '../documents/evaluation.ts'
import { findLink } from '../model/links.ts'
import { findForeground, stopApp } from '../model/tasks.ts'
import { printError, print, type Call } from '../shell/command.ts'
import { receiveBroadcast } from './broadcast.ts'
import { instrument } from './instrument.ts'
import { killInBackground } from './unix/processes.ts'
import { parseIntent, formatIntent, UnknownOptionError, type Intent } from './intent.ts'

/** `am`: starts and stops apps, sends broadcasts. A failed start exits with 0, as on Android. */
export async function am(call: Call): Promise<number> {
  const [verb = '', ...args] = call.args
  try {
    switch (verb) {
      case 'start':
      case 'start-activity':
        return await start(call, parseIntent(args))
      case 'force-stop':
        return forceStop(call, args)
      case 'instrument':
        return await instrument(call, args)
      case 'broadcast':
        return broadcast(call, parseIntent(args))
      case 'startservice':
      case 'start-service':
      case 'start-foreground-service':
      case 'stopservice':
      case 'stop-service':
        return findNoService(call, verb, parseIntent(args))
      case 'kill':
        killInBackground(call.device, args.findLast((arg) => !arg.startsWith('-')) ?? '')
        return 0
      case 'kill-all':
        for (const name of call.device.apps.keys()) killInBackground(call.device, name)
        return 0
      case 'stack':
        print(call, formatStacks(call.device))
        return 0
      case 'get-config':
        print(call, formatConfiguration(call.device))
        return 0
      case 'get-current-user':
        print(call, '0\n')
        return 0
      default:
        print(call, `Unknown command: ${verb}\n`)
        return 255
    }
  } catch (error) {
    if (!(error instanceof UnknownOptionError)) throw error
    const reason = `java.lang.IllegalArgumentException: Unknown option: ${error.message}`
    printError(call, `\nException occurred while executing '${verb}':\n${reason}\n`)
    return 255
  }
}

interface Target {
  readonly app: App
  readonly screen: string
  readonly args: StateRecord
}

async function start(call: Call, intent: Intent): Promise<number> {
  const { device } = call
  print(call, `Starting: ${formatIntent(intent)}\n`)
  const target = resolveTarget(device, intent)
  if (target === undefined) {
    printError(call, formatUnresolved(intent))
    return 0
  }
  await device.clock.sleep(device.latency.launchMs, call.signal)
  if (intent.flags.has('-S')) stopApp(device, target.app)
  const wasRunning = target.app.process !== undefined
  const how = openTarget(device, target)
  if (how === 'top') printError(call, `Warning: ${DELIVERED}\n`)
  if (how === 'front') printError(call, `Warning: ${TO_FRONT}\n`)
  if (intent.flags.has('-W')) print(call, formatWaitResult(device, wasRunning, how))
  return 0
}

const DELIVERED = 'Activity not started, intent has been delivered to currently running top-most instance.'
const TO_FRONT = 'Activity not started, its current task has been brought to the front'

function formatUnresolved(intent: Intent): string {
  if (intent.component === undefined) {
    return `Error: Activity not started, unable to resolve ${formatIntent(intent, '0x10000000')}\n`
  }
  const [packageName = '', name = ''] = intent.component.split('/')
  const full = name.startsWith('.') ? `${packageName}${name}` : name
  return `Error type 3\nError: Activity class {${packageName}/${full}} does not exist.\n`
}

/** Resolves an intent: by component, else by URI, else by package, category or settings action. */
function resolveTarget(device: Device, intent: Intent): Target | undefined {
  const args = Object.fromEntries(intent.extras)
  if (intent.component !== undefined) {
    const [packageName = '', name = ''] = intent.component.split('/')
    const app = device.apps.get(packageName)
    const screen = app && findScreen(app, name)
    const isOff = device.packageSettings.disabled.has(packageName)
    return app === undefined || screen === undefined || isOff ? undefined : { app, screen, args }
  }
  if (intent.data !== undefined) return findLink(device, intent.data, intent.packageName)
  const home = intent.categories.includes('android.intent.category.HOME')
  const app = home
    ? [...device.apps.values()].find((entry) => entry.document.kind === 'launcher')
    : device.apps.get(intent.packageName ?? '')
  const settings = SETTINGS_ACTION.test(intent.action ?? '') && device.apps.get('com.android.settings')
  const chosen = app ?? (settings === false ? undefined : settings)
  return chosen && { app: chosen, screen: chosen.document.launch_screen, args }
}

const SETTINGS_ACTION = /^android\.settings\.SETTINGS$/

function findScreen(app: App, name: string): string | undefined {
  const full = name.startsWith('.') ? `${app.document.package}${name}` : name
  const { launch_screen, screens } = app.document
  if (toActivityName(app, launch_screen) === full) return launch_screen
  return Object.keys(screens).find((screen) => toActivityName(app, screen) === full)
}

function openTarget(device: Device, { app, screen, args }: Target): 'started' | 'front' | 'top' {
  const plain = screen === app.document.launch_screen && Object.keys(args).length === 0
  const how = startApp(device, app)
  if (plain) return how
  openScreen(device, app, { screen, args })
  return 'started'
}

function formatWaitResult(device: Device, wasRunning: boolean, how: 'started' | 'front' | 'top'): string {
  const front = findForeground(device)
  const name = front?.app.document.package ?? ''
  const component = front && toShortComponent(name, toActivityName(front.app, front.screen.name))
  const state = how === 'started' && !wasRunning ? 'COLD' : how === 'started' ? 'WARM' : 'HOT'
  const time = device.latency.launchMs
  return (
    `Status: ok\nLaunchState: ${state}\nActivity: ${component ?? ''}\n` +
    `TotalTime: ${time}\nWaitTime: ${time + 3}\nComplete\n`
  )
}

/** The apps of the phone have no services. */
function findNoService(call: Call, verb: string, intent: Intent): number {
  if (verb.startsWith('stop')) {
    print(call, `Stopping service: ${formatIntent(intent)}\nService not stopped: was not running.\n`)
    return 0
  }
  print(call, `Starting service: ${formatIntent(intent)}\n`)
  printError(call, 'Error: Not found; no service started.\n')
  return 255
}

function formatStacks(device: Device): string {
  const { width, height } = device.screen
  return device.tasks
    .map((name, at) => {
      const screen = device.apps.get(name)?.process?.stack.at(-1)
      const app = device.apps.get(name)
      if (app === undefined || screen === undefined) return ''
      const component = toShortComponent(name, toActivityName(app, screen.name))
      return (
        `RootTask id=${at + 1} bounds=[0,0][${width},${height}] displayId=0 userId=0\n` +
        `  taskId=${at + 1}: ${component} bounds=[0,0][${width},${height}] userId=0 visible=${at === 0}\n`
      )
    })
    .join('')
}

function formatConfiguration(device: Device): string {
  const { width, height, density } = device.screen
  const [language = 'en', region = 'US'] = device.locale.split('-')
  const short = Math.round((Math.min(width, height) * 160) / density)
  const turned = width > height ? 'land' : 'port'
  return `config: mcc310-mnc260-${language}-r${region}-ldltr-sw${short}dp-${turned}-notnight-${density}dpi-finger-v34\nabi: arm64-v8a\n`
}

function forceStop(call: Call, args: readonly string[]): number {
  const name = args.findLast((arg) => !arg.startsWith('-'))
  const app = call.device.apps.get(name ?? '')
  call.device.instrumentations.get(name ?? '')?.kill()
  if (app !== undefined) stopApp(call.device, app)
  return 0
}

function broadcast(call: Call, intent: Intent): number {
  print(call, `Broadcasting: ${formatIntent(intent, '0x400000')}\n`)
  const result = receiveBroadcast(call.device, intent)
  print(call, `Broadcast completed: result=${result}\n`)
  return 0
}

/** `monkey -p PKG ... 1`: launches an app by its package. */
export function monkey(call: Call): number {
  const name = call.args[call.args.indexOf('-p') + 1] ?? ''
  const app = call.args.includes('-p') ? call.device.apps.get(name) : undefined
  if (app === undefined) {
    printError(call, '** No activities found to run, monkey aborted.\n')
    return 252
  }
  startApp(call.device, app)
  print(call, 'Events injected: 1\n## Network stats: elapsed time=12ms (0ms mobile, 0ms wifi, 12ms not connected)\n')
  return 0
}
