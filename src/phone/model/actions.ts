import type { AppDialog } from '../documents/app-document.ts'
import type { Action } from '../documents/app-action.ts'
import { activityOf, createProcess, shortComponent, type App, type AppProcess } from './app.ts'
import { nextId, type Device } from './device.ts'
import { assign, evaluate, isTrue, listOf, numberOf, tidy } from '../documents/evaluation.ts'
import type { StateRecord, StateValue } from '../documents/evaluation.ts'
import type { Expression } from '../documents/expression.ts'
import { scopeOf, type Spot } from './scope.ts'
import { copyOf, fillValue, renderTemplate, type ValueTemplate } from '../documents/template.ts'

const DEEPEST = 40

/** Runs the steps of an event in order. Screens that keep opening each other are cut off. */
export function runActions(spot: Spot, actions: readonly Action[], depth = 0): void {
  if (depth > DEEPEST) {
    logFrom(spot, 'E', 'AndroidRuntime', 'actions are nested too deep')
    return
  }
  for (const action of actions) runAction(spot, action, depth)
}

export interface Opening {
  readonly screen: string
  readonly args?: StateRecord
  readonly how?: 'open' | 'replace' | 'restart'
}

/** Puts a screen of the app on top of its stack and runs what it does on opening. */
export function openScreen(device: Device, app: App, opening: Opening, depth = 0): void {
  const document = app.document.screens[opening.screen]
  if (document === undefined) return
  const process = runningProcess(device, app)
  if (opening.how === 'restart') process.stack.length = 0
  if (opening.how === 'replace') process.stack.pop()
  const screen = {
    id: nextId(device),
    name: opening.screen,
    args: opening.args ?? {},
    local: copyOf(document.local) as StateRecord,
    readyAtMs: 0,
    scrolls: new Map<string, number>(),
    dialogs: [],
  }
  process.stack.push(screen)
  const spot = { device, app, screen }
  const loadingMs = document.loading_ms === undefined ? 0 : amount(document.loading_ms, spot)
  screen.readyAtMs = device.clock.now() + loadingMs
  const component = shortComponent(app.document.package, activityOf(app, opening.screen))
  logFrom(spot, 'I', 'ActivityTaskManager', `Displayed ${component}`)
  runActions(spot, document.on_open, depth + 1)
}

/** Brings an app to the front; starts it at its first screen when it is not running. */
export function startApp(device: Device, app: App, depth = 0): 'started' | 'front' | 'top' {
  const name = app.document.package
  const wasFront = device.tasks[0] === name
  device.tasks = [name, ...device.tasks.filter((other) => other !== name)]
  const stack = runningProcess(device, app).stack
  if (stack.length === 0) {
    openScreen(device, app, { screen: app.document.launch_screen }, depth)
    return 'started'
  }
  if (wasFront) return 'top'
  resume(device, app, depth)
  return 'front'
}

/** Tells the screen on top that it is seen again. */
export function resume(device: Device, app: App, depth = 0): void {
  const screen = app.process?.stack.at(-1)
  const document = screen && app.document.screens[screen.name]
  if (document !== undefined) runActions({ device, app, screen }, document.on_resume, depth + 1)
}

export interface DialogOpening {
  readonly name: string
  readonly document: AppDialog
  readonly args: StateRecord
}

export function openDialog(spot: Spot, { name, document, args }: DialogOpening): void {
  const dialogs = spot.app.process?.stack.at(-1)?.dialogs
  dialogs?.push({
    id: nextId(spot.device),
    name,
    document,
    args,
    local: copyOf(document.local) as StateRecord,
    scrolls: new Map(),
  })
}

function runningProcess(device: Device, app: App): AppProcess {
  app.process ??= createProcess(app.document, 2000 + nextId(device))
  return app.process
}

function runAction(spot: Spot, action: Action, depth: number): void {
  switch (action.do) {
    case 'set':
    case 'toggle':
    case 'add':
    case 'append':
    case 'remove':
      changeState(spot, action)
      return
    case 'if': {
      const branch = isTrue(evaluate(action.when, scopeOf(spot)))
        ? action.actions
        : action.otherwise
      runActions(spot, branch ?? [], depth + 1)
      return
    }
    case 'after':
      runLater(spot, amount(action.ms, spot), action.actions)
      return
    case 'toast':
      showToast(spot, renderTemplate(action.text, scopeOf(spot)))
      return
    case 'log':
      logFrom(
        spot,
        action.level ?? 'I',
        action.tag ?? spot.app.document.package,
        renderTemplate(action.text, scopeOf(spot)),
      )
      return
    case 'open':
    case 'replace':
    case 'restart':
    case 'back':
    case 'close_dialog':
    case 'dialog':
    case 'launch':
    case 'load':
      moveAround(spot, action, depth)
  }
}

type StateChange = Extract<Action, { do: 'set' | 'toggle' | 'add' | 'append' | 'remove' }>
type Movement = Exclude<Action, StateChange | { do: 'if' | 'after' | 'toast' | 'log' }>

function changeState(spot: Spot, action: StateChange): void {
  const scope = scopeOf(spot)
  const current = evaluate(action.target, scope)
  const next = (): StateValue => {
    switch (action.do) {
      case 'set':
        return fillValue(action.value, scope)
      case 'toggle':
        return !isTrue(current)
      case 'add':
        return clamp(numberOf(current) + amount(action.by, spot), action, spot)
      case 'append':
        return [...listOf(current), fillValue(action.value, scope)] as StateValue[]
      case 'remove':
        return listOf(current).filter((it) => !matches(action.where, spot, it)) as StateValue[]
    }
  }
  if (!assign(action.target, next(), scope)) {
    logFrom(spot, 'W', spot.app.document.package, `${action.do}: the target does not exist`)
  }
}

function matches(where: Expression, spot: Spot, it: unknown): boolean {
  return isTrue(evaluate(where, scopeOf({ ...spot, names: { ...spot.names, it } })))
}

function clamp(
  value: number,
  limits: { readonly min?: Expression | undefined; readonly max?: Expression | undefined },
  spot: Spot,
): number {
  const low = limits.min === undefined ? Number.NEGATIVE_INFINITY : amount(limits.min, spot)
  const high = limits.max === undefined ? Number.POSITIVE_INFINITY : amount(limits.max, spot)
  return tidy(Math.min(high, Math.max(low, value)))
}

function moveAround(spot: Spot, action: Movement, depth: number): void {
  const { device, app } = spot
  switch (action.do) {
    case 'open':
    case 'replace':
    case 'restart': {
      const args = fillRecord(action.args, spot)
      openScreen(device, app, { screen: action.screen, args, how: action.do }, depth)
      return
    }
    case 'back':
      closeScreen(device, app, depth)
      return
    case 'close_dialog':
      app.process?.stack.at(-1)?.dialogs.pop()
      return
    case 'dialog': {
      const document = app.document.dialogs[action.dialog]
      const args = fillRecord(action.args, spot)
      if (document !== undefined) openDialog(spot, { name: action.dialog, document, args })
      return
    }
    case 'launch': {
      const other = device.apps.get(renderTemplate(action.package, scopeOf(spot)))
      if (other !== undefined) startApp(device, other, depth + 1)
      return
    }
    case 'load':
      if (spot.screen !== undefined)
        spot.screen.readyAtMs = device.clock.now() + amount(action.ms, spot)
  }
}

/** Leaves the screen on top; false when it is the last one. */
export function closeScreen(device: Device, app: App, depth = 0): boolean {
  const stack = app.process?.stack ?? []
  if (stack.length <= 1) return false
  stack.pop()
  resume(device, app, depth)
  return true
}

function runLater(spot: Spot, ms: number, actions: readonly Action[]): void {
  const process = spot.app.process
  if (process === undefined) return
  process.timers.push({
    dueMs: spot.device.clock.now() + ms,
    run: () => runActions(spot, actions),
  })
}

const TOAST_MS = 2000
const KEPT_TOASTS = 50

function showToast({ device, app }: Spot, text: string): void {
  const nowMs = device.clock.now()
  if (device.toasts.length > KEPT_TOASTS) device.toasts.shift()
  device.toasts.push({ text, untilMs: nowMs + TOAST_MS, packageName: app.document.package })
}

export function amount(expression: Expression, spot: Spot): number {
  return numberOf(evaluate(expression, scopeOf(spot)))
}

export function fillRecord(
  record: Readonly<Record<string, ValueTemplate>> | undefined,
  spot: Spot,
): StateRecord {
  const scope = scopeOf(spot)
  const entries = Object.entries(record ?? {})
  return Object.fromEntries(entries.map(([key, value]) => [key, fillValue(value, scope)]))
}

function logFrom(spot: Spot, level: 'V' | 'D' | 'I' | 'W' | 'E', tag: string, text: string): void {
  spot.device.log.write({ pid: spot.app.process?.pid ?? 0, level, tag, text })
}
