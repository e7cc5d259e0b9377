import { toActivityName, toShortComponent, type App } from '../model/app.ts'
import { type Device, readRotation } from '../model/device.ts'
import { keyboardTop } from '../model/keyboard.ts'
import { findForeground } from '../model/tasks.ts'
import { activeWindow } from '../windows/window.ts'
import { printError, print, type Call } from '../shell/command.ts'
import { formatPackage, hashName } from './package-report.ts'
import { listProcesses } from './unix/processes.ts'

/** `dumpsys [-l] [-t SECONDS] SERVICE ...`: a subset of Android's reports, with the lines that tools parse. */
export function dumpsys(call: Call): number {
  const [service = '', ...args] = call.args.filter((arg, at) => !/^-[ta]$/.test(arg) && call.args[at - 1] !== '-t')
  if (service === '-l') {
    print(
      call,
      `Currently running services:\n${Object.keys(REPORTS)
        .map((name) => `  ${name}\n`)
        .join('')}`,
    )
    return 0
  }
  const report = REPORTS[service]
  if (report === undefined) {
    printError(call, `Can't find service: ${service}\n`)
    return 0
  }
  print(call, report(call, args))
  return 0
}

const REPORTS: Readonly<Record<string, (call: Call, args: readonly string[]) => string>> = {
  window: ({ device }) => formatWindows(device),
  activity: ({ device }, args) => formatActivities(device, args[0] ?? 'activities'),
  package: (call, args) => formatPackage(call, args[0] ?? ''),
  battery: (call, args) => setBattery(call.device, args) ?? formatBattery(call.device),
  power: ({ device }) => formatPower(device),
  input_method: ({ device }) => formatInputMethod(device),
  display: ({ device }) => formatDisplay(device),
  deviceidle: ({ device }, args) => idleList(device, args),
  meminfo: ({ device }, args) =>
    formatMemory(
      device,
      args.find((arg) => !arg.startsWith('-')),
    ),
  notification: ({ device }) => formatNotifications(device),
  input: ({ device }) => {
    const rotation = readRotation(device)
    return `  Viewport INTERNAL: displayId=0, orientation=${rotation}\n      SurfaceOrientation: ${rotation}\n`
  },
  SurfaceFlinger: () => 'Display 4619827259835644672 (HWC display 0): port=0 pnpId=APP displayName="sim"\n',
}

function formatActivityRecord(app: App, screen: string): string {
  const name = app.document.package
  const component = toShortComponent(name, toActivityName(app, screen))
  return `ActivityRecord{${hashName(component)} u0 ${component} t${(app.process?.pid ?? 0) % 1000}}`
}

function formatWindows(device: Device): string {
  const window = activeWindow(device)
  const front = findForeground(device)
  const focus = window === undefined ? 'null' : formatFocus(window)
  const app = front === undefined ? 'null' : formatActivityRecord(front.app, front.screen.name)
  const locked = device.power.locked
  return [
    'WINDOW MANAGER POLICY STATE (dumpsys window policy)',
    `    isKeyguardShowing=${locked}`,
    `    mShowingLockscreen=${locked} mInputRestricted=${locked}`,
    `    KeyguardStateMonitor`,
    `      mIsShowing=${locked}`,
    `    screenState=SCREEN_STATE_${device.power.awake ? 'ON' : 'OFF'}`,
    `    mShowingDream=false mDreamingLockscreen=${locked} mDreamingSleepToken=null`,
    `    mScreenOnEarly=${device.power.awake} mScreenOnFully=${device.power.awake}`,
    'WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)',
    '  Display: mDisplayId=0 (organized)',
    `    init=${formatSize(device)} ${device.screen.density}dpi cur=${formatSize(device)} app=${formatSize(device)}`,
    `    mCurrentRotation=ROTATION_${readRotation(device) * 90}`,
    `  mCurrentFocus=${focus}`,
    `  mFocusedApp=${app}`,
    `  mInputMethodWindow=${keyboardTop(device) === undefined ? 'null' : 'Window{4c0ffee u0 InputMethod}'}`,
    '',
  ].join('\n')
}

function formatSize({ screen }: Device): string {
  return `${screen.width}x${screen.height}`
}

function formatFocus(window: NonNullable<ReturnType<typeof activeWindow>>): string {
  const name = window.app.document.package
  const title = window.kind === 'keyguard' || name === 'android' ? window.activity : `${name}/${window.activity}`
  return `Window{${hashName(title + window.kind)} u0 ${title}}`
}

function formatActivities(device: Device, what: string): string {
  const front = findForeground(device)
  if (front === undefined) return 'ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)\n  (nothing)\n'
  const record = formatActivityRecord(front.app, front.screen.name)
  if (what === 'processes' || what === 'p') return formatProcesses(device)
  if (what === 'services' || what === 's') return 'ACTIVITY MANAGER SERVICES (dumpsys activity services)\n  (nothing)\n'
  if (what === 'top') {
    const component = toShortComponent(front.app.document.package, toActivityName(front.app, front.screen.name))
    return `TASK ${front.app.document.package} id=1 userId=0\n  ACTIVITY ${component} ${hashName(component)} pid=${front.app.process?.pid ?? 0}\n`
  }
  const tasks = device.tasks.flatMap((name) => {
    const app = device.apps.get(name)
    const screens = app?.process?.stack.toReversed() ?? []
    return app === undefined
      ? []
      : screens.map((screen) => `      * Hist  #0: ${formatActivityRecord(app, screen.name)}`)
  })
  const resumed = device.power.awake && !device.power.locked
  return [
    'ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)',
    'Display #0 (activities from top to bottom):',
    ...tasks,
    ...(resumed ? [`  topResumedActivity=${record}`, `  ResumedActivity: ${record}`] : []),
    '',
  ].join('\n')
}

function formatProcesses(device: Device): string {
  const lines = listProcesses(device)
    .filter(({ user }) => user.startsWith('u0_') || user === 'system')
    .map(
      ({ name, pid, user }) =>
        `  *APP* UID ${user} ProcessRecord{${hashName(name)} ${pid}:${name}/${user.replace('_', '')}}`,
    )
  return ['ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)', ...lines, ''].join('\n')
}

/** `dumpsys deviceidle whitelist [+PACKAGE|-PACKAGE]`. */
function idleList(device: Device, [what, ...changes]: readonly string[]): string {
  if (what !== 'whitelist') return 'Idling state: ACTIVE\n'
  const { idleAllowed } = device.packageSettings
  const lines: string[] = []
  for (const change of changes) {
    const name = change.slice(1)
    if (change.startsWith('-')) idleAllowed.delete(name)
    else if (device.apps.has(name)) idleAllowed.add(name)
    lines.push(
      change.startsWith('-')
        ? `Removed: ${name}`
        : device.apps.has(name)
          ? `Added: ${name}`
          : `Unknown package: ${name}`,
    )
  }
  if (changes.length > 0) return lines.map((line) => `${line}\n`).join('')
  return [...idleAllowed].map((name) => `user,${name},${device.apps.get(name)?.userId ?? 0}\n`).join('')
}

function formatMemory(device: Device, name: string | undefined): string {
  if (name === undefined) return 'Total RAM: 7,836,836K (status normal)\n Free RAM: 2,716,792K\n Used RAM: 5,120,044K\n'
  const pid = device.apps.get(name)?.process?.pid
  if (pid === undefined) return `No process found for: ${name}\n`
  return [
    'Applications Memory Usage (in Kilobytes):',
    'Uptime: 3600000 Realtime: 3600000',
    '',
    `** MEMINFO in pid ${pid} [${name}] **`,
    '                   Pss  Private  Private  SwapPss      Rss     Heap     Heap     Heap',
    '                 Total    Dirty    Clean    Dirty    Total     Size    Alloc     Free',
    '                ------   ------   ------   ------   ------   ------   ------   ------',
    '  Native Heap    12060    12016        0        0    13040    22012    16892     1520',
    '  Dalvik Heap     4012     3960        0        0     8260     6508     3254     3254',
    '        TOTAL    68204    41208    12040        0   118204    28520    20146     4774',
    '',
  ].join('\n')
}

function formatNotifications(device: Device): string {
  const records = device.notifications.map(
    ({ app, key, title, text }) =>
      `    NotificationRecord(${hashName(String(key))}: pkg=${app.document.package} user=UserHandle{0} id=${key} tag=null)\n` +
      `      android.title=String (${title})\n      android.text=String (${text})\n`,
  )
  return `Current Notification Manager state:\n  Notification List:\n${records.join('')}`
}

/** `dumpsys battery set level N`, `unplug`, `reset`. Undefined: the report is asked for. */
function setBattery(device: Device, [verb, what, value]: readonly string[]): string | undefined {
  if (verb === 'unplug') device.battery = { ...device.battery, charging: false }
  else if (verb === 'reset') device.battery = { level: 84, charging: true }
  else if (verb === 'set' && what === 'level' && /^\d+$/.test(value ?? ''))
    device.battery = { ...device.battery, level: Number(value) }
  else if (verb === 'set' && (what === 'usb' || what === 'ac'))
    device.battery = { ...device.battery, charging: value === '1' }
  else if (verb === 'set') return 'Unknown set option\n'
  else return undefined
  return ''
}

function formatBattery({ battery }: Device): string {
  return [
    'Current Battery Service state:',
    '  AC powered: false',
    `  USB powered: ${battery.charging}`,
    '  Wireless powered: false',
    `  status: ${battery.charging ? 2 : 3}`,
    '  health: 2',
    '  present: true',
    `  level: ${battery.level}`,
    '  scale: 100',
    '  voltage: 4123',
    '  temperature: 273',
    '  technology: Li-ion',
    '',
  ].join('\n')
}

function formatPower({ power }: Device): string {
  return [
    'POWER MANAGER (dumpsys power)',
    `  mWakefulness=${power.awake ? 'Awake' : 'Asleep'}`,
    `  mHoldingDisplaySuspendBlocker=${power.awake}`,
    `Display Power: state=${power.awake ? 'ON' : 'OFF'}`,
    '',
  ].join('\n')
}

function formatInputMethod(device: Device): string {
  const isVisible = keyboardTop(device) !== undefined
  return [
    'Current Input Method Manager state:',
    `  mCurMethodId=${device.keyboard.current}`,
    `  mShowRequested=${isVisible} mShowExplicitlyRequested=false mInputShown=${isVisible}`,
    '',
  ].join('\n')
}

function formatDisplay(device: Device): string {
  return [
    'DISPLAY MANAGER (dumpsys display)',
    `  mViewports=[DisplayViewport{type=INTERNAL, valid=true, isActive=true, displayId=0, uniqueId='local:4619827259835644672', orientation=${readRotation(device)}, logicalFrame=Rect(0, 0 - ${device.screen.width}, ${device.screen.height})}]`,
    `  mCurrentOrientation=${readRotation(device)}`,
    `  mScreenState=${device.power.awake ? 'ON' : 'OFF'}`,
    '',
  ].join('\n')
}
