import type { OpenSnackbar } from './app.ts'
import type { Device, PhoneNotification } from './device.ts'
import type { AppContext } from './scope.ts'

export const SNACKBAR_MS = 4000

interface SnackbarRequest extends Pick<OpenSnackbar, 'text' | 'action'> {
  readonly ms: number
  readonly run: () => void
}

/** Displays a snackbar on the top screen, in place of the one before. */
export function showSnackbar({ device, app }: AppContext, { text, action, ms, run }: SnackbarRequest): void {
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
export function takeNotification(device: Device, key: number): PhoneNotification | undefined {
  const notification = device.notifications.find((entry) => entry.key === key)
  device.notifications = device.notifications.filter((entry) => entry !== notification)
  return notification
}

const TOAST_MS = 2000
const MAX_TOASTS = 50

export function showToast({ device, app }: AppContext, text: string): void {
  const nowMs = device.clock.now()
  if (device.toasts.length > MAX_TOASTS) device.toasts.shift()
  device.toasts.push({ text, untilMs: nowMs + TOAST_MS, packageName: app.document.package })
}
