import { closeScreen, openDialog, resume, runActions, startApp } from './actions.ts'
import type { App, AppProcess, AppTimer, OpenScreen } from './app.ts'
import { findLauncher, type Device } from './device.ts'
import { evaluate, isTrue, type StateRecord } from '../documents/evaluation.ts'
import { buildScope } from './scope.ts'
import { fillRecord } from './state-changes.ts'
import { cloneState } from '../documents/template.ts'

export interface Foreground {
  readonly app: App
  readonly screen: OpenScreen
}

/** Finds the app in the foreground, or else the launcher. Starts it if it has no open screen. */
export function findForeground(device: Device): Foreground | undefined {
  const front = device.apps.get(device.tasks[0] ?? '') ?? findLauncher(device)
  if (front === undefined) return undefined
  const screen = front.process?.stack.at(-1)
  if (screen !== undefined) return { app: front, screen }
  startApp(device, front)
  const opened = front.process?.stack.at(-1)
  return opened && { app: front, screen: opened }
}

export function goHome(device: Device): void {
  device.shade = undefined
  const launcher = findLauncher(device)
  if (launcher === undefined) return
  if (launcher.process !== undefined) launcher.process.stack.length = 0
  startApp(device, launcher)
}

export function showRecents(device: Device): void {
  const launcher = findLauncher(device)
  if (launcher === undefined || !Object.hasOwn(launcher.document.screens, 'recents')) return
  goHome(device)
  runActions({ device, app: launcher }, [{ do: 'open', screen: 'recents' }])
}

/** The Back button: closes the top dialog, or else the top screen, or else leaves the app. */
export function goBack(device: Device): void {
  if (device.shade !== undefined) {
    device.shade = undefined
    return
  }
  const systemDialog = device.systemDialogs.at(-1)
  if (systemDialog !== undefined) {
    if (systemDialog.dialog.document.cancelable) device.systemDialogs.pop()
    return
  }
  const front = findForeground(device)
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

/** Ends the process. Memory, screens and timers are discarded. The saved state remains. */
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
  app.saved = cloneState(app.document.saved) as StateRecord
}

const MAX_TIMERS_PER_CALL = 500

/**
 * Runs all due timers, oldest first. Timers run only in this call, so usually late; each one finds the clock at its due
 * time, because what it opens, shows or delays counts from there.
 */
export function runDueTimers(device: Device): void {
  for (let count = 0; count < MAX_TIMERS_PER_CALL; count += 1) {
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
  device.clock.runAt(timer.dueMs, () => timer.run(nowMs))
  return true
}

/** Schedules the pop-ups of the foreground app whose condition became true. */
function schedulePopups(device: Device): void {
  const app = device.apps.get(device.tasks[0] ?? '')
  const process = app?.process
  const screen = process?.stack.at(-1)
  if (app === undefined || process === undefined || screen === undefined) return
  const context = { device, app, screen }
  for (const [index, popup] of app.document.popups.entries()) {
    const record = process.popups[index]
    const document = app.document.dialogs[popup.dialog]
    if (record === undefined || document === undefined) continue
    const holds = isTrue(evaluate(popup.when, buildScope(context)))
    const due = holds && record.armed && record.displayCount < popup.times
    record.armed = !holds
    if (!due) continue
    record.displayCount += 1
    process.timers.push({
      dueMs: device.clock.now() + popup.after_ms,
      run: () =>
        openDialog(context, {
          name: popup.dialog,
          document,
          args: fillRecord(popup.args, context),
        }),
    })
  }
}
