import type { AppDialog } from '../documents/app-document.ts'
import type { Action } from '../documents/app-action.ts'
import { toActivityName, createProcess, toShortComponent, type App, type AppProcess } from './app.ts'
import { nextId, type Device } from './device.ts'
import { assign, evaluate, isTrue, toList, toNumber, roundValue } from '../documents/evaluation.ts'
import type { StateRecord, StateValue } from '../documents/evaluation.ts'
import type { Expression } from '../documents/expression.ts'
import { buildScope, type AppContext } from './scope.ts'
import { cloneState, fillValue, renderTemplate, type ValueTemplate } from '../documents/template.ts'

const MAX_DEPTH = 40

/** Runs the actions of an event in order. Stops at MAX_DEPTH, because screens can open each other. */
export function runActions(context: AppContext, actions: readonly Action[], depth = 0): void {
  if (depth > MAX_DEPTH) {
    writeLog(context, 'E', 'AndroidRuntime', 'actions are nested too deep')
    return
  }
  for (const action of actions) runAction(context, action, depth)
}

export interface ScreenRequest {
  readonly screen: string
  readonly args?: StateRecord
  readonly how?: 'open' | 'replace' | 'restart'
}

/** Pushes a screen on the app's stack and runs its `on_open` actions. */
export function openScreen(device: Device, app: App, request: ScreenRequest, depth = 0): void {
  const document = app.document.screens[request.screen]
  if (document === undefined) return
  const process = ensureProcess(device, app)
  if (request.how === 'restart') process.stack.length = 0
  if (request.how === 'replace') process.stack.pop()
  const screen = {
    id: nextId(device),
    name: request.screen,
    args: request.args ?? {},
    local: cloneState(document.local) as StateRecord,
    readyAtMs: 0,
    scrolls: new Map<string, number>(),
    dialogs: [],
  }
  process.stack.push(screen)
  const context = { device, app, screen }
  const loadingMs = document.loading_ms === undefined ? 0 : evaluateNumber(document.loading_ms, context)
  screen.readyAtMs = device.clock.now() + loadingMs
  const component = toShortComponent(app.document.package, toActivityName(app, request.screen))
  writeLog(context, 'I', 'ActivityTaskManager', `Displayed ${component}`)
  runActions(context, document.on_open, depth + 1)
}

/** Brings an app to the front. Opens its launch screen when it is not running. */
export function startApp(device: Device, app: App, depth = 0): 'started' | 'front' | 'top' {
  const name = app.document.package
  const wasFront = device.tasks[0] === name
  device.tasks = [name, ...device.tasks.filter((other) => other !== name)]
  const stack = ensureProcess(device, app).stack
  if (stack.length === 0) {
    openScreen(device, app, { screen: app.document.launch_screen }, depth)
    return 'started'
  }
  if (wasFront) return 'top'
  resume(device, app, depth)
  return 'front'
}

/** Runs the `on_resume` actions of the top screen. */
export function resume(device: Device, app: App, depth = 0): void {
  const screen = app.process?.stack.at(-1)
  const document = screen && app.document.screens[screen.name]
  if (document !== undefined) runActions({ device, app, screen }, document.on_resume, depth + 1)
}

export interface DialogRequest {
  readonly name: string
  readonly document: AppDialog
  readonly args: StateRecord
}

export function openDialog(context: AppContext, { name, document, args }: DialogRequest): void {
  const dialogs = context.app.process?.stack.at(-1)?.dialogs
  dialogs?.push({
    id: nextId(context.device),
    name,
    document,
    args,
    local: cloneState(document.local) as StateRecord,
    scrolls: new Map(),
  })
}

function ensureProcess(device: Device, app: App): AppProcess {
  app.process ??= createProcess(app.document, 2000 + nextId(device))
  return app.process
}

function runAction(context: AppContext, action: Action, depth: number): void {
  switch (action.do) {
    case 'set':
    case 'toggle':
    case 'add':
    case 'append':
    case 'remove':
      changeState(context, action)
      return
    case 'if': {
      const branch = isTrue(evaluate(action.when, buildScope(context))) ? action.actions : action.otherwise
      runActions(context, branch ?? [], depth + 1)
      return
    }
    case 'after':
      runLater(context, evaluateNumber(action.ms, context), action.actions)
      return
    case 'toast':
      showToast(context, renderTemplate(action.text, buildScope(context)))
      return
    case 'log':
      writeLog(
        context,
        action.level ?? 'I',
        action.tag ?? context.app.document.package,
        renderTemplate(action.text, buildScope(context)),
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
      navigate(context, action, depth)
  }
}

type StateChange = Extract<Action, { do: 'set' | 'toggle' | 'add' | 'append' | 'remove' }>
type NavigationAction = Exclude<Action, StateChange | { do: 'if' | 'after' | 'toast' | 'log' }>

function changeState(context: AppContext, action: StateChange): void {
  const scope = buildScope(context)
  const current = evaluate(action.target, scope)
  const next = (): StateValue => {
    switch (action.do) {
      case 'set':
        return fillValue(action.value, scope)
      case 'toggle':
        return !isTrue(current)
      case 'add':
        return clamp(toNumber(current) + evaluateNumber(action.by, context), action, context)
      case 'append':
        return [...toList(current), fillValue(action.value, scope)] as StateValue[]
      case 'remove':
        return toList(current).filter((it) => !matches(action.where, context, it)) as StateValue[]
    }
  }
  if (!assign(action.target, next(), scope)) {
    writeLog(context, 'W', context.app.document.package, `${action.do}: the target does not exist`)
  }
}

function matches(where: Expression, context: AppContext, it: unknown): boolean {
  return isTrue(evaluate(where, buildScope({ ...context, names: { ...context.names, it } })))
}

function clamp(
  value: number,
  limits: { readonly min?: Expression | undefined; readonly max?: Expression | undefined },
  context: AppContext,
): number {
  const low = limits.min === undefined ? Number.NEGATIVE_INFINITY : evaluateNumber(limits.min, context)
  const high = limits.max === undefined ? Number.POSITIVE_INFINITY : evaluateNumber(limits.max, context)
  return roundValue(Math.min(high, Math.max(low, value)))
}

function navigate(context: AppContext, action: NavigationAction, depth: number): void {
  const { device, app } = context
  switch (action.do) {
    case 'open':
    case 'replace':
    case 'restart': {
      const args = fillRecord(action.args, context)
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
      const args = fillRecord(action.args, context)
      if (document !== undefined) openDialog(context, { name: action.dialog, document, args })
      return
    }
    case 'launch': {
      const other = device.apps.get(renderTemplate(action.package, buildScope(context)))
      if (other !== undefined) startApp(device, other, depth + 1)
      return
    }
    case 'load':
      if (context.screen !== undefined)
        context.screen.readyAtMs = device.clock.now() + evaluateNumber(action.ms, context)
  }
}

/** Closes the top screen. Returns false when it is the only one. */
export function closeScreen(device: Device, app: App, depth = 0): boolean {
  const stack = app.process?.stack ?? []
  if (stack.length <= 1) return false
  stack.pop()
  resume(device, app, depth)
  return true
}

function runLater(context: AppContext, ms: number, actions: readonly Action[]): void {
  const process = context.app.process
  if (process === undefined) return
  process.timers.push({
    dueMs: context.device.clock.now() + ms,
    run: () => runActions(context, actions),
  })
}

const TOAST_MS = 2000
const MAX_TOASTS = 50

function showToast({ device, app }: AppContext, text: string): void {
  const nowMs = device.clock.now()
  if (device.toasts.length > MAX_TOASTS) device.toasts.shift()
  device.toasts.push({ text, untilMs: nowMs + TOAST_MS, packageName: app.document.package })
}

export function evaluateNumber(expression: Expression, context: AppContext): number {
  return toNumber(evaluate(expression, buildScope(context)))
}

export function fillRecord(
  record: Readonly<Record<string, ValueTemplate>> | undefined,
  context: AppContext,
): StateRecord {
  const scope = buildScope(context)
  const entries = Object.entries(record ?? {})
  return Object.fromEntries(entries.map(([key, value]) => [key, fillValue(value, scope)]))
}

function writeLog(context: AppContext, level: 'V' | 'D' | 'I' | 'W' | 'E', tag: string, text: string): void {
  context.device.log.write({ pid: context.app.process?.pid ?? 0, level, tag, text })
}
