import { activityOf, shortComponent, type App } from '../model/app.ts'
import type { Device } from '../model/device.ts'
import { keyboardTop } from '../model/keyboard.ts'
import { foregroundOf } from '../model/tasks.ts'
import { activeWindow } from '../model/window.ts'
import { complain, print, type Call } from '../shell/command.ts'

/** `dumpsys`: the lines tools look for, in the places they look. */
export function dumpsys(call: Call): number {
  const [service = '', ...args] = call.args.filter((arg) => !/^-[ta]$/.test(arg))
  const report = REPORTS[service]
  if (report === undefined) {
    complain(call, `Can't find service: ${service}\n`)
    return 0
  }
  print(call, report(call.device, args))
  return 0
}

const REPORTS: Readonly<Record<string, (device: Device, args: readonly string[]) => string>> = {
  window: (device) => windowReport(device),
  activity: (device, args) => activityReport(device, args[0] ?? 'activities'),
  package: (device, args) => packageReport(device, args[0] ?? ''),
  battery: (device) => batteryReport(device),
  power: (device) => powerReport(device),
  input_method: (device) => inputMethodReport(device),
  display: (device) => displayReport(device),
  input: () => '  Viewport INTERNAL: displayId=0, orientation=0\n      SurfaceOrientation: 0\n',
  SurfaceFlinger: () =>
    'Display 4619827259835644672 (HWC display 0): port=0 pnpId=APP displayName="sim"\n',
}

/** Looks random, stays the same for the same name. */
export function hashOf(name: string): string {
  let hash = 2_166_136_261
  for (const char of name) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16_777_619) >>> 0
  return (hash & 0xf_ff_ff_ff).toString(16)
}

function recordOf(app: App, screen: string): string {
  const name = app.document.package
  const component = shortComponent(name, activityOf(app, screen))
  return `ActivityRecord{${hashOf(component)} u0 ${component} t${(app.process?.pid ?? 0) % 1000}}`
}

function windowReport(device: Device): string {
  const window = activeWindow(device)
  const front = foregroundOf(device)
  const focus = window === undefined ? 'null' : focusOf(window)
  const app = front === undefined ? 'null' : recordOf(front.app, front.screen.name)
  const locked = device.power.locked
  return [
    'WINDOW MANAGER POLICY STATE (dumpsys window policy)',
    `    isKeyguardShowing=${locked}`,
    `    mShowingDream=false mDreamingLockscreen=${locked} mDreamingSleepToken=null`,
    `    mScreenOnEarly=${device.power.awake} mScreenOnFully=${device.power.awake}`,
    'WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)',
    '  Display: mDisplayId=0 (organized)',
    `    init=${size(device)} ${device.screen.density}dpi cur=${size(device)} app=${size(device)}`,
    '    mCurrentRotation=ROTATION_0',
    `  mCurrentFocus=${focus}`,
    `  mFocusedApp=${app}`,
    `  mInputMethodWindow=${keyboardTop(device) === undefined ? 'null' : 'Window{4c0ffee u0 InputMethod}'}`,
    '',
  ].join('\n')
}

function size({ screen }: Device): string {
  return `${screen.width}x${screen.height}`
}

function focusOf(window: NonNullable<ReturnType<typeof activeWindow>>): string {
  const name = window.app.document.package
  const title =
    window.kind === 'keyguard' || name === 'android'
      ? window.activity
      : `${name}/${window.activity}`
  return `Window{${hashOf(title + window.kind)} u0 ${title}}`
}

function activityReport(device: Device, what: string): string {
  const front = foregroundOf(device)
  if (front === undefined)
    return 'ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)\n  (nothing)\n'
  const record = recordOf(front.app, front.screen.name)
  if (what === 'top') {
    const component = shortComponent(
      front.app.document.package,
      activityOf(front.app, front.screen.name),
    )
    return `TASK ${front.app.document.package} id=1 userId=0\n  ACTIVITY ${component} ${hashOf(component)} pid=${front.app.process?.pid ?? 0}\n`
  }
  const tasks = device.tasks.flatMap((name) => {
    const app = device.apps.get(name)
    const screens = app?.process?.stack.toReversed() ?? []
    return app === undefined
      ? []
      : screens.map((screen) => `      * Hist  #0: ${recordOf(app, screen.name)}`)
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

function packageReport(device: Device, name: string): string {
  const app = device.apps.get(name)
  if (app === undefined) return `Unable to find package: ${name}\n`
  const { version } = app.document
  const installed = new Date(app.installedAtMs).toISOString().slice(0, 19).replace('T', ' ')
  const launch = shortComponent(name, activityOf(app, app.document.launch_screen))
  return [
    'Activity Resolver Table:',
    '  Non-Data Actions:',
    '      android.intent.action.MAIN:',
    `        ${hashOf(name)} ${launch} filter ${hashOf(launch)}`,
    'Packages:',
    `  Package [${name}] (${hashOf(name)}):`,
    `    userId=${app.userId}`,
    `    versionCode=${version.code} minSdk=26 targetSdk=34`,
    `    versionName=${version.name}`,
    `    firstInstallTime=${installed}`,
    `    lastUpdateTime=${installed}`,
    '',
  ].join('\n')
}

function batteryReport({ battery }: Device): string {
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

function powerReport({ power }: Device): string {
  return [
    'POWER MANAGER (dumpsys power)',
    `  mWakefulness=${power.awake ? 'Awake' : 'Asleep'}`,
    `  mHoldingDisplaySuspendBlocker=${power.awake}`,
    `Display Power: state=${power.awake ? 'ON' : 'OFF'}`,
    '',
  ].join('\n')
}

function inputMethodReport(device: Device): string {
  const shown = keyboardTop(device) !== undefined
  return [
    'Current Input Method Manager state:',
    `  mCurMethodId=${device.keyboard.current}`,
    `  mShowRequested=${shown} mShowExplicitlyRequested=false mInputShown=${shown}`,
    '',
  ].join('\n')
}

function displayReport(device: Device): string {
  return [
    'DISPLAY MANAGER (dumpsys display)',
    `  mViewports=[DisplayViewport{type=INTERNAL, valid=true, isActive=true, displayId=0, uniqueId='local:4619827259835644672', orientation=0, logicalFrame=Rect(0, 0 - ${device.screen.width}, ${device.screen.height})}]`,
    '  mCurrentOrientation=0',
    `  mScreenState=${device.power.awake ? 'ON' : 'OFF'}`,
    '',
  ].join('\n')
}
