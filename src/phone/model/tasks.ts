import { closeScreen, fillRecord, openDialog, resume, runActions, startApp } from './actions.ts'
import type { App, AppProcess, AppTimer, OpenScreen } from './app.ts'
import { launcherOf, type Device } from './device.ts'
import { evaluate, isTrue, type StateRecord } from '../documents/evaluation.ts'
import { scopeOf } from './scope.ts'
import { copyOf } from '../documents/template.ts'

export interface Foreground {
  readonly app: App
  readonly screen: OpenScreen
}

/** The app whose screen is in front, the launcher being the one that is always there. */
export function foregroundOf(device: Device): Foreground | undefined {
  const front = device.apps.get(device.tasks[0] ?? '') ?? launcherOf(device)
  if (front === undefined) return undefined
  const screen = front.process?.stack.at(-1)
  if (screen !== undefined) return { app: front, screen }
  startApp(device, front)
  const opened = front.process?.stack.at(-1)
  return opened && { app: front, screen: opened }
}

export function goHome(device: Device): void {
  const launcher = launcherOf(device)
  if (launcher === undefined) return
  if (launcher.process !== undefined) launcher.process.stack.length = 0
  startApp(device, launcher)
}

export function showRecents(device: Device): void {
  const launcher = launcherOf(device)
  if (launcher === undefined || !Object.hasOwn(launcher.document.screens, 'recents')) return
  goHome(device)
  runActions({ device, app: launcher }, [{ do: 'open', screen: 'recents' }])
}

/** The system's back: a dialog first, then the screen, then out of the app. */
export function goBack(device: Device): void {
  const systemDialog = device.systemDialogs.at(-1)
  if (systemDialog !== undefined) {
    if (systemDialog.dialog.document.cancelable) device.systemDialogs.pop()
    return
  }
  const front = foregroundOf(device)
  if (front === undefined) return
  if (front.screen.dialogs.length > 0) {
    cancelDialog(device, front)
    return
  }
  if (!closeScreen(device, front.app)) leaveApp(device, front.app)
}

function cancelDialog(device: Device, { app, screen }: Foreground): void {
  const dialog = screen.dialogs.at(-1)
  if (dialog === undefined || !dialog.document.cancelable) return
  screen.dialogs.pop()
  runActions({ device, app, screen, dialog }, dialog.document.on_cancel)
}

function leaveApp(device: Device, app: App): void {
  if (app.document.kind === 'launcher') return
  device.tasks = device.tasks.filter((name) => name !== app.document.package)
  goHome(device)
  device.tasks.splice(1, 0, app.document.package)
}

/** Ends the process: memory, screens and timers go; what is saved stays. */
export function stopApp(device: Device, app: App): void {
  const wasFront = device.tasks[0] === app.document.package
  app.process = undefined
  device.tasks = device.tasks.filter((name) => name !== app.document.package)
  const next = device.apps.get(device.tasks[0] ?? '')
  if (wasFront && next?.document.kind !== 'launcher') goHome(device)
  else if (wasFront && next !== undefined) resume(device, next)
}

export function clearApp(device: Device, app: App): void {
  stopApp(device, app)
  app.saved = copyOf(app.document.saved) as StateRecord
}

const MOST_TIMERS = 500

/** Lets everything happen that was due by now, oldest first. No clock runs between two looks. */
export function settle(device: Device): void {
  for (let count = 0; count < MOST_TIMERS; count += 1) {
    schedulePopups(device)
    if (!runEarliestTimer(device)) return
  }
}

function runEarliestTimer(device: Device): boolean {
  const nowMs = device.clock.now()
  let first: { readonly process: AppProcess; readonly timer: AppTimer } | undefined
  for (const { process } of device.apps.values()) {
    for (const timer of process?.timers ?? []) {
      if (process === undefined || timer.dueMs > nowMs) continue
      if (first === undefined || timer.dueMs < first.timer.dueMs) first = { process, timer }
    }
  }
  if (first === undefined) return false
  const { process, timer } = first
  process.timers = process.timers.filter((other) => other !== timer)
  timer.run()
  return true
}

/** Pop-ups of the app in front whose condition has come true. */
function schedulePopups(device: Device): void {
  const app = device.apps.get(device.tasks[0] ?? '')
  const process = app?.process
  const screen = process?.stack.at(-1)
  if (app === undefined || process === undefined || screen === undefined) return
  const spot = { device, app, screen }
  for (const [index, popup] of app.document.popups.entries()) {
    const record = process.popups[index]
    const document = app.document.dialogs[popup.dialog]
    if (record === undefined || document === undefined) continue
    const holds = isTrue(evaluate(popup.when, scopeOf(spot)))
    const due = holds && record.armed && record.shown < popup.times
    record.armed = !holds
    if (!due) continue
    record.shown += 1
    process.timers.push({
      dueMs: device.clock.now() + popup.after_ms,
      run: () =>
        openDialog(spot, { name: popup.dialog, document, args: fillRecord(popup.args, spot) }),
    })
  }
}
