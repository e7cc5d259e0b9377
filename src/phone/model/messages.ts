import type { Action } from '../documents/app-action.ts'
import { renderTemplate, type Template } from '../documents/template.ts'
import type { App, OpenSnackbar } from './app.ts'
import { nextId, type Device, type PhoneNotification } from './device.ts'
import { buildScope, type AppContext } from './scope.ts'
import { evaluateNumber, writeLog } from './state-changes.ts'

type MessageAction = Extract<
  Action,
  { do: 'toast' | 'log' | 'snackbar' | 'notify' | 'open_notification' | 'remove_notification' }
>

/** What messages start: the actions of a snackbar or notification, and its app. */
interface Starter {
  readonly runActions: (context: AppContext, actions: readonly Action[]) => void
  readonly startApp: (device: Device, app: App) => unknown
}

/** Shows a toast, snackbar or notification, writes to the log, or uses a notification. */
export function showMessage(context: AppContext, action: MessageAction, { runActions, startApp }: Starter): void {
  const { device, app } = context
  const render = (template: Template | undefined): string => renderTemplate(template, buildScope(context))
  switch (action.do) {
    case 'toast':
      showToast(context, render(action.text))
      return
    case 'log':
      writeLog(context, action.level ?? 'I', action.tag ?? app.document.package, render(action.text))
      return
    case 'snackbar':
      showSnackbar(context, {
        text: render(action.text),
        action: render(action.action),
        ms: action.ms === undefined ? SNACKBAR_MS : evaluateNumber(action.ms, context),
        run: () => runActions(context, action.actions ?? []),
      })
      return
    case 'notify': {
      const open = (): void => runActions({ ...context, screen: app.process?.stack.at(-1) }, action.actions ?? [])
      const notification = { key: nextId(device), app, title: render(action.title), text: render(action.text), open }
      device.notifications = [notification, ...device.notifications]
      return
    }
    case 'open_notification':
    case 'remove_notification': {
      const notification = takeNotification(device, evaluateNumber(action.key, context))
      if (action.do === 'remove_notification' || notification === undefined) return
      device.shade = undefined
      startApp(device, notification.app)
      notification.open()
    }
  }
}

const SNACKBAR_MS = 4000

interface SnackbarRequest extends Pick<OpenSnackbar, 'text' | 'action'> {
  readonly ms: number
  readonly run: () => void
}

/** Displays a snackbar on the top screen, in place of the one before. */
function showSnackbar({ device, app }: AppContext, { text, action, ms, run }: SnackbarRequest): void {
  const screen = app.process?.stack.at(-1)
  if (screen === undefined) return
  screen.snackbar = {
    text,
    action,
    untilMs: device.clock.now() + ms,
    run: () => {
      screen.snackbar = undefined
      run()
    },
  }
}

/** Removes a notification from the shade and returns it. */
function takeNotification(device: Device, key: number): PhoneNotification | undefined {
  const notification = device.notifications.find((entry) => entry.key === key)
  device.notifications = device.notifications.filter((entry) => entry !== notification)
  return notification
}

const TOAST_MS = 2000
const MAX_TOASTS = 50

function showToast({ device, app }: AppContext, text: string): void {
  const nowMs = device.clock.now()
  if (device.toasts.length > MAX_TOASTS) device.toasts.shift()
  device.toasts.push({ text, untilMs: nowMs + TOAST_MS, packageName: app.document.package })
}
