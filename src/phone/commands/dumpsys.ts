import { toActivityName, toShortComponent, type App } from '../model/app.ts'
import { type Device, readRotation } from '../model/device.ts'
import { keyboardTop } from '../model/keyboard.ts'
import { findForeground } from '../model/tasks.ts'
import { activeWindow } from '../windows/window.ts'
import { printError, print, type Call } from '../shell/command.ts'

/** `dumpsys`: a subset of Android's reports, with the lines that tools parse. */
export function dumpsys(call: Call): number {
  const [service = '', ...args] = call.args.filter((arg) => !/^-[ta]$/.test(arg))
  const report = REPORTS[service]
  if (report === undefined) {
    printError(call, `Can't find service: ${service}\n`)
    return 0
  }
  print(call, report(call.device, args))
  return 0
}

const REPORTS: Readonly<Record<string, (device: Device, args: readonly string[]) => string>> = {
  window: (device) => formatWindows(device),
  activity: (device, args) => formatActivities(device, args[0] ?? 'activities'),
  package: (device, args) => formatPackage(device, args[0] ?? ''),
  battery: (device) => formatBattery(device),
  power: (device) => formatPower(device),
  input_method: (device) => formatInputMethod(device),
  display: (device) => formatDisplay(device),
  input: (device) => {
    const rotation = readRotation(device)
    return `  Viewport INTERNAL: displayId=0, orientation=${rotation}\n      SurfaceOrientation: ${rotation}\n`
  },
  SurfaceFlinger: () => 'Display 4619827259835644672 (HWC display 0): port=0 pnpId=APP displayName="sim"\n',
}

/** Hashes a name to a stable hexadecimal id. */
export function hashName(name: string): string {
  let hash = 2_166_136_261
  for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619) >>> 0
  return (hash & 0xf_ff_ff_ff).toString(16)
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

function formatPackage(device: Device, name: string): string {
  const app = device.apps.get(name)
  if (app === undefined) return `Unable to find package: ${name}\n`
  const { version } = app.document
  const installed = new Date(app.installedAtMs).toISOString().slice(0, 19).replace('T', ' ')
  const launch = toShortComponent(name, toActivityName(app, app.document.launch_screen))
  return [
    'Activity Resolver Table:',
    '  Non-Data Actions:',
    '      android.intent.action.MAIN:',
    `        ${hashName(name)} ${launch} filter ${hashName(launch)}`,
    'Packages:',
    `  Package [${name}] (${hashName(name)}):`,
    `    userId=${app.userId}`,
    `    versionCode=${version.code} minSdk=26 targetSdk=34`,
    `    versionName=${version.name}`,
    `    firstInstallTime=${installed}`,
    `    lastUpdateTime=${installed}`,
    '',
  ].join('\n')
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
