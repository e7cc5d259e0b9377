import type { AppDialog } from '../documents/app-document.ts'
import type { Action } from '../documents/app-action.ts'
import { toActivityName, createProcess, toShortComponent, type App, type AppProcess } from './app.ts'
import { nextId, type Device } from './device.ts'
import { evaluate, isTrue, toList } from '../documents/evaluation.ts'
import type { StateRecord } from '../documents/evaluation.ts'
import { buildScope, type AppContext } from './scope.ts'
import { changeState, evaluateNumber, fillRecord, writeLog } from './state-changes.ts'
import { cloneState, renderTemplate } from '../documents/template.ts'
import { showMessage } from './messages.ts'
import { startTimer } from './timers.ts'

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

export function openDialog(context: AppContext, { name, document, args }: DialogRequest, depth = 0): void {
  const screen = context.app.process?.stack.at(-1)
  if (screen === undefined) return
  const dialog = {
    id: nextId(context.device),
    name,
    document,
    args,
    local: cloneState(document.local) as StateRecord,
    scrolls: new Map<string, number>(),
    anchor: context.device.lastTouch,
  }
  screen.dialogs.push(dialog)
  runActions({ ...context, screen, dialog }, document.on_open, depth + 1)
}

function ensureProcess(device: Device, app: App): AppProcess {
  if (app.process !== undefined) return app.process
  app.process = createProcess(app.document, 2000 + nextId(device))
  for (const timer of app.document.timers) startTimer(device, app, { timer, run: runActions })
  return app.process
}

function runAction(context: AppContext, action: Action, depth: number): void {
  switch (action.do) {
    case 'set':
    case 'toggle':
    case 'add':
    case 'append':
    case 'remove':
    case 'move':
      changeState(context, action)
      return
    case 'if':
    case 'for_each':
    case 'call':
    case 'after':
      runNested(context, action, depth)
      return
    case 'toast':
    case 'log':
    case 'snackbar':
    case 'notify':
    case 'open_notification':
    case 'remove_notification':
      showMessage(context, action, { runActions, startApp })
      return
    case 'open':
    case 'replace':
    case 'restart':
    case 'back':
    case 'close_dialog':
    case 'dialog':
    case 'launch':
    case 'load':
    case 'close_shade':
    case 'hide_keyboard':
      navigate(context, action, depth)
  }
}

type NestedAction = Extract<Action, { do: 'if' | 'for_each' | 'call' | 'after' }>

function runNested(context: AppContext, action: NestedAction, depth: number): void {
  switch (action.do) {
    case 'if': {
      const branch = isTrue(evaluate(action.when, buildScope(context))) ? action.actions : action.otherwise
      runActions(context, branch ?? [], depth + 1)
      return
    }
    case 'for_each':
      runForEach(context, action, depth)
      return
    case 'call': {
      const names = { ...context.names, with: fillRecord(action.with, context) }
      runActions({ ...context, names }, context.app.document.procedures[action.procedure] ?? [], depth + 1)
      return
    }
    case 'after':
      runLater(context, evaluateNumber(action.ms, context), action.actions)
  }
}

function runForEach(context: AppContext, action: Extract<Action, { do: 'for_each' }>, depth: number): void {
  const { where } = action
  const withItem = (item: unknown, index: number): AppContext => ({
    ...context,
    names: { ...context.names, item, index },
  })
  const entries = toList(evaluate(action.items, buildScope(context))).filter(
    (item, index) => where === undefined || isTrue(evaluate(where, buildScope(withItem(item, index)))),
  )
  for (const [index, item] of entries.entries()) runActions(withItem(item, index), action.actions, depth + 1)
}

type NavigationAction = Extract<
  Action,
  {
    do:
      | 'open'
      | 'replace'
      | 'restart'
      | 'back'
      | 'close_dialog'
      | 'dialog'
      | 'launch'
      | 'load'
      | 'close_shade'
      | 'hide_keyboard'
  }
>

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
      if (document !== undefined) openDialog(context, { name: action.dialog, document, args }, depth)
      return
    }
    case 'launch': {
      const other = device.apps.get(renderTemplate(action.package, buildScope(context)))
      if (other !== undefined) startApp(device, other, depth + 1)
      return
    }
    case 'close_shade':
      device.shade = undefined
      return
    case 'hide_keyboard':
      device.keyboard.hidden = true
      return
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
