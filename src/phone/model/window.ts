import { closeScreen, runActions } from './actions.ts'
import { activityOf, type App, type OpenDialog, type OpenScreen } from './app.ts'
import type { Device } from './device.ts'
import { inflateNodes } from './inflate.ts'
import { keyboardTop } from './keyboard.ts'
import { measureView, placeView } from './layout.ts'
import { scopeOf, type Spot } from './scope.ts'
import { foregroundOf, settle, type Foreground } from './tasks.ts'
import { evaluate, isTrue } from '../documents/evaluation.ts'
import { renderTemplate } from '../documents/template.ts'
import { createView, type Rect, type View } from './view.ts'

/** One thing with a surface. The last of a list of windows is the active one. */
export interface Window {
  readonly id: number
  readonly kind: 'app' | 'dialog' | 'keyguard'
  readonly app: App
  readonly activity: string
  readonly title: string
  readonly root: View
  /** Called when a touch lands outside; only dialogs have an outside. */
  readonly cancel?: () => void
}

export const STATUS_BAR_HEIGHT = 84
export const NAVIGATION_BAR_HEIGHT = 126
const TOOLBAR_HEIGHT = 168

/** What is on the screen now, bottom first. Empty while the screen is off. */
export function currentWindows(device: Device): readonly Window[] {
  settle(device)
  if (!device.power.awake) return []
  const keyguard = device.power.locked ? keyguardWindow(device) : undefined
  if (keyguard !== undefined) return [keyguard]
  const front = foregroundOf(device)
  if (front === undefined) return []
  const activeId =
    device.systemDialogs.at(-1)?.dialog.id ?? front.screen.dialogs.at(-1)?.id ?? front.screen.id
  if (device.focus?.windowId !== activeId) device.focus = undefined
  const windows = stackWindows(device, front)
  const focus = device.focus
  if (focus === undefined || findView(windows.at(-1)?.root, focus.key) !== undefined) return windows
  // The field is gone, so the keyboard is, and everything has more room.
  device.focus = undefined
  return stackWindows(device, front)
}

function stackWindows(device: Device, { app, screen }: Foreground): Window[] {
  const windows = [screenWindow(device, app, screen)]
  for (const [index, dialog] of screen.dialogs.entries()) {
    const close = (): void => {
      screen.dialogs.splice(index, 1)
    }
    windows.push(dialogWindow({ device, app, screen, dialog }, close))
  }
  for (const [index, { app: owner, dialog }] of device.systemDialogs.entries()) {
    const close = (): void => {
      device.systemDialogs.splice(index, 1)
    }
    windows.push(dialogWindow({ device, app: owner, dialog }, close))
  }
  return windows
}

export function activeWindow(device: Device): Window | undefined {
  return currentWindows(device).at(-1)
}

export function findView(root: View | undefined, key: string): View | undefined {
  if (root === undefined || root.key === key) return root
  for (const child of root.children) {
    const found = findView(child, key)
    if (found !== undefined) return found
  }
  return undefined
}

function keyguardWindow(device: Device): Window | undefined {
  const app = [...device.apps.values()].find((entry) =>
    Object.hasOwn(entry.document.screens, 'keyguard'),
  )
  if (app === undefined) return undefined
  const screen: OpenScreen = {
    id: 0,
    name: 'keyguard',
    args: {},
    local: {},
    readyAtMs: 0,
    scrolls: new Map(),
    dialogs: [],
  }
  return { ...screenWindow(device, app, screen), kind: 'keyguard', activity: 'NotificationShade' }
}

function screenWindow(device: Device, app: App, screen: OpenScreen): Window {
  const spot: Spot = { device, app, screen }
  const document = app.document.screens[screen.name]
  const title = renderTemplate(document?.title ?? app.document.label, scopeOf(spot))
  const full: Rect = { left: 0, top: 0, right: device.screen.width, bottom: device.screen.height }
  const bars = document?.title === undefined ? [] : [toolbar(spot, title)]
  const content = createView({
    ...part(spot, 'content', 'android.widget.FrameLayout'),
    resourceId: 'android:id/content',
    index: bars.length,
    children: contentViews(spot),
    layout: { flow: 'column', width: 'fill', height: 'fill' },
    look: { background: document?.background ?? '#fafafa' },
  })
  const usable = createView({
    ...part(spot, 'decor', 'android.widget.LinearLayout'),
    children: [...bars, content],
    layout: {
      flow: 'column',
      at: { ...inset(device), x: 0, y: STATUS_BAR_HEIGHT },
    },
  })
  const root = createView({
    ...part(spot, 'root', 'android.widget.FrameLayout'),
    children: [usable],
    layout: { flow: 'stack' },
  })
  placeView(root, full, full)
  return { id: screen.id, kind: 'app', app, activity: activityOf(app, screen.name), title, root }
}

/** Room between the status bar and whatever covers the bottom: the keyboard or the buttons. */
function inset(device: Device): { readonly width: number; readonly height: number } {
  const bottom = keyboardTop(device) ?? device.screen.height - NAVIGATION_BAR_HEIGHT
  return { width: device.screen.width, height: bottom - STATUS_BAR_HEIGHT }
}

function part(spot: Spot, key: string, className: string) {
  return { key, className, packageName: spot.app.document.package }
}

function contentViews(spot: Spot): View[] {
  const { device, app, screen } = spot
  const document = app.document.screens[screen?.name ?? '']
  if (document === undefined || screen === undefined) return []
  if (device.clock.now() >= screen.readyAtMs) return inflateNodes(document.content, spot, 'c')
  const bar = createView({
    ...part(spot, 'loading/bar', 'android.widget.ProgressBar'),
    resourceId: `${app.document.package}:id/progress`,
    layout: { intrinsic: { width: 126, height: 126 } },
    look: { shape: 'progress', accent: app.document.color },
  })
  const words = renderTemplate(document.loading_text, scopeOf(spot))
  const label = createView({
    ...part(spot, 'loading/text', 'android.widget.TextView'),
    index: 1,
    text: words,
  })
  return [
    createView({
      ...part(spot, 'loading', 'android.widget.LinearLayout'),
      children: words === '' ? [bar] : [bar, label],
      layout: { flow: 'column', align: 'center', width: 'fill', padY: 720, gap: 48 },
    }),
  ]
}

function toolbar(spot: Spot, title: string): View {
  const { device, app, screen } = spot
  const document = app.document.screens[screen?.name ?? '']
  const hasUp = (app.process?.stack.length ?? 0) > 1 && document?.up !== false
  const white = { color: '#ffffff', accent: app.document.color }
  const up = createView({
    ...part(spot, 'toolbar/up', 'android.widget.ImageButton'),
    description: 'Navigate up',
    clickable: true,
    focusable: true,
    onTap: () => {
      closeScreen(device, app)
    },
    layout: { width: 147, height: 147 },
    look: { ...white, shape: 'image', icon: '<' },
  })
  const label = createView({
    ...part(spot, 'toolbar/title', 'android.widget.TextView'),
    index: hasUp ? 1 : 0,
    text: title,
    layout: { weight: 1, padX: 24 },
    look: { ...white, size: 57 },
  })
  const actions = inflateNodes(document?.actions ?? [], spot, 'toolbar/actions')
  for (const [index, view] of actions.entries()) view.index = index + (hasUp ? 2 : 1)
  return createView({
    ...part(spot, 'toolbar', 'android.view.ViewGroup'),
    resourceId: `${app.document.package}:id/toolbar`,
    children: [...(hasUp ? [up] : []), label, ...actions],
    layout: { flow: 'row', align: 'center', width: 'fill', height: TOOLBAR_HEIGHT, padX: 24 },
    look: { background: app.document.color },
  })
}

const DIALOG_MARGIN = 60

function dialogWindow(spot: Spot & { readonly dialog: OpenDialog }, close: () => void): Window {
  const { device, app, dialog } = spot
  const room = inset(device)
  const panel = dialogPanel(spot, close)
  const width = room.width - 2 * DIALOG_MARGIN
  const height = Math.min(measureView(panel, width, room.height).height, room.height)
  const top = STATUS_BAR_HEIGHT + Math.floor((room.height - height) / 2)
  const rect = { left: DIALOG_MARGIN, top, right: DIALOG_MARGIN + width, bottom: top + height }
  const root = createView({
    ...part(spot, 'root', 'android.widget.FrameLayout'),
    children: [panel],
    layout: { flow: 'stack' },
    look: { background: '#ffffff' },
  })
  placeView(root, rect, rect)
  const cancel = (): void => {
    if (!dialog.document.cancelable) return
    close()
    runActions(spot, dialog.document.on_cancel)
  }
  const title = renderTemplate(dialog.document.title, scopeOf(spot))
  const activity = spot.screen === undefined ? title : activityOf(app, spot.screen.name)
  return { id: dialog.id, kind: 'dialog', app, activity, title, root, cancel }
}

const BUTTON_IDS = { positive: 'button1', negative: 'button2', neutral: 'button3' }

function dialogPanel(spot: Spot & { readonly dialog: OpenDialog }, close: () => void): View {
  const { document } = spot.dialog
  const words = (key: 'title' | 'message', id: string, size: number): View[] => {
    const text = renderTemplate(document[key], scopeOf(spot))
    const look = { size, bold: key === 'title' }
    const view = part(spot, `dialog/${key}`, 'android.widget.TextView')
    return text === '' ? [] : [createView({ ...view, resourceId: `android:id/${id}`, text, look })]
  }
  const children = [
    ...words('title', 'alertTitle', 52),
    ...words('message', 'message', 42),
    ...inflateNodes(document.content, spot, 'dialog/content'),
    ...(document.buttons.length === 0 ? [] : [buttonBar(spot, close)]),
  ]
  for (const [index, view] of children.entries()) view.index = index
  return createView({
    ...part(spot, 'dialog', 'android.widget.LinearLayout'),
    resourceId: 'android:id/parentPanel',
    children,
    layout: { flow: 'column', width: 'fill', padX: 60, padY: 48, gap: 42 },
  })
}

/** Android puts the quiet choices left and the one that acts at the right end. */
function buttonBar(spot: Spot & { readonly dialog: OpenDialog }, close: () => void): View {
  const order = ['neutral', 'negative', 'positive'] as const
  const { buttons } = spot.dialog.document
  const arranged = order.flatMap((role) => buttons.filter((button) => button.role === role))
  const children = arranged.map((button, index) => {
    const enabled = button.enabled === undefined || isTrue(evaluate(button.enabled, scopeOf(spot)))
    return createView({
      ...part(spot, `dialog/button/${index}`, 'android.widget.Button'),
      resourceId: `android:id/${BUTTON_IDS[button.role]}`,
      index,
      text: renderTemplate(button.text, scopeOf(spot)),
      clickable: true,
      focusable: true,
      enabled,
      onTap: () => {
        close()
        runActions(spot, button.actions)
      },
      layout: { intrinsic: { width: 72, height: 126 } },
      look: { shape: 'button', textAlign: 'center', accent: spot.app.document.color },
    })
  })
  return createView({
    ...part(spot, 'dialog/buttons', 'android.widget.ScrollView'),
    resourceId: 'android:id/buttonPanel',
    children,
    layout: { flow: 'row', align: 'center', gather: 'end', width: 'fill', gap: 24 },
  })
}
