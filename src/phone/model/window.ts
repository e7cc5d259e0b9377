import { closeScreen, runActions } from './actions.ts'
import { toActivityName, type App, type OpenDialog, type OpenScreen } from './app.ts'
import type { Device } from './device.ts'
import { inflateNodes } from './inflate.ts'
import { keyboardTop } from './keyboard.ts'
import { measureView, placeView } from './layout.ts'
import { buildScope, type AppContext } from './scope.ts'
import { findForeground, runDueTimers, type Foreground } from './tasks.ts'
import { evaluate, isTrue } from '../documents/evaluation.ts'
import { renderTemplate } from '../documents/template.ts'
import { createView, type Rect, type View } from './view.ts'

/** A window on the screen. The last window of a list is the active one. */
export interface Window {
  readonly id: number
  readonly kind: 'app' | 'dialog' | 'keyguard'
  readonly app: App
  readonly activity: string
  readonly title: string
  readonly root: View
  /** Called when a touch lands outside the window. Only dialogs have it. */
  readonly cancel?: () => void
}

export const STATUS_BAR_HEIGHT = 84
export const NAVIGATION_BAR_HEIGHT = 126
const TOOLBAR_HEIGHT = 168

/** The windows on the screen, bottom first. Empty while the screen is off. */
export function currentWindows(device: Device): readonly Window[] {
  runDueTimers(device)
  if (!device.power.awake) return []
  const keyguard = device.power.locked ? createKeyguardWindow(device) : undefined
  if (keyguard !== undefined) return [keyguard]
  const front = findForeground(device)
  if (front === undefined) return []
  const activeId = device.systemDialogs.at(-1)?.dialog.id ?? front.screen.dialogs.at(-1)?.id ?? front.screen.id
  if (device.focus?.windowId !== activeId) device.focus = undefined
  const windows = createWindows(device, front)
  const focus = device.focus
  if (focus === undefined || findView(windows.at(-1)?.root, focus.key) !== undefined) return windows
  // The focused field no longer exists: hide the keyboard and lay out the windows again.
  device.focus = undefined
  return createWindows(device, front)
}

function createWindows(device: Device, { app, screen }: Foreground): Window[] {
  const windows = [createScreenWindow(device, app, screen)]
  for (const [index, dialog] of screen.dialogs.entries()) {
    const close = (): void => {
      screen.dialogs.splice(index, 1)
    }
    windows.push(createDialogWindow({ device, app, screen, dialog }, close))
  }
  for (const [index, { app: owner, dialog }] of device.systemDialogs.entries()) {
    const close = (): void => {
      device.systemDialogs.splice(index, 1)
    }
    windows.push(createDialogWindow({ device, app: owner, dialog }, close))
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

function createKeyguardWindow(device: Device): Window | undefined {
  const app = [...device.apps.values()].find((entry) => Object.hasOwn(entry.document.screens, 'keyguard'))
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
  return {
    ...createScreenWindow(device, app, screen),
    kind: 'keyguard',
    activity: 'NotificationShade',
  }
}

function createScreenWindow(device: Device, app: App, screen: OpenScreen): Window {
  const context: AppContext = { device, app, screen }
  const document = app.document.screens[screen.name]
  const title = renderTemplate(document?.title ?? app.document.label, buildScope(context))
  const full: Rect = { left: 0, top: 0, right: device.screen.width, bottom: device.screen.height }
  const bars = document?.title === undefined ? [] : [createToolbar(context, title)]
  const content = createView({
    ...baseView(context, 'content', 'android.widget.FrameLayout'),
    resourceId: 'android:id/content',
    index: bars.length,
    children: inflateContent(context),
    layout: { flow: 'column', width: 'fill', height: 'fill' },
    style: { background: document?.background ?? '#fafafa' },
  })
  const usable = createView({
    ...baseView(context, 'decor', 'android.widget.LinearLayout'),
    children: [...bars, content],
    layout: {
      flow: 'column',
      at: { ...measureUsableArea(device), x: 0, y: STATUS_BAR_HEIGHT },
    },
  })
  const root = createView({
    ...baseView(context, 'root', 'android.widget.FrameLayout'),
    children: [usable],
    layout: { flow: 'stack' },
  })
  placeView(root, full, full)
  return {
    id: screen.id,
    kind: 'app',
    app,
    activity: toActivityName(app, screen.name),
    title,
    root,
  }
}

/** Measures the area between the status bar and the keyboard or navigation bar. */
function measureUsableArea(device: Device): { readonly width: number; readonly height: number } {
  const bottom = keyboardTop(device) ?? device.screen.height - NAVIGATION_BAR_HEIGHT
  return { width: device.screen.width, height: bottom - STATUS_BAR_HEIGHT }
}

function baseView(context: AppContext, key: string, className: string) {
  return { key, className, packageName: context.app.document.package }
}

function inflateContent(context: AppContext): View[] {
  const { device, app, screen } = context
  const document = app.document.screens[screen?.name ?? '']
  if (document === undefined || screen === undefined) return []
  if (device.clock.now() >= screen.readyAtMs) return inflateNodes(document.content, context, 'c')
  const bar = createView({
    ...baseView(context, 'loading/bar', 'android.widget.ProgressBar'),
    resourceId: `${app.document.package}:id/progress`,
    layout: { intrinsic: { width: 126, height: 126 } },
    style: { shape: 'progress', accent: app.document.color },
  })
  const loadingText = renderTemplate(document.loading_text, buildScope(context))
  const label = createView({
    ...baseView(context, 'loading/text', 'android.widget.TextView'),
    index: 1,
    text: loadingText,
  })
  return [
    createView({
      ...baseView(context, 'loading', 'android.widget.LinearLayout'),
      children: loadingText === '' ? [bar] : [bar, label],
      layout: { flow: 'column', align: 'center', width: 'fill', padY: 720, gap: 48 },
    }),
  ]
}

function createToolbar(context: AppContext, title: string): View {
  const { device, app, screen } = context
  const document = app.document.screens[screen?.name ?? '']
  const hasUp = (app.process?.stack.length ?? 0) > 1 && document?.up !== false
  const white = { color: '#ffffff', accent: app.document.color }
  const up = createView({
    ...baseView(context, 'toolbar/up', 'android.widget.ImageButton'),
    description: 'Navigate up',
    clickable: true,
    focusable: true,
    onTap: () => {
      closeScreen(device, app)
    },
    layout: { width: 147, height: 147 },
    style: { ...white, shape: 'image', icon: '<' },
  })
  const label = createView({
    ...baseView(context, 'toolbar/title', 'android.widget.TextView'),
    index: hasUp ? 1 : 0,
    text: title,
    layout: { weight: 1, padX: 24 },
    style: { ...white, size: 57 },
  })
  const actions = inflateNodes(document?.actions ?? [], context, 'toolbar/actions')
  for (const [index, view] of actions.entries()) view.index = index + (hasUp ? 2 : 1)
  return createView({
    ...baseView(context, 'toolbar', 'android.view.ViewGroup'),
    resourceId: `${app.document.package}:id/toolbar`,
    children: [...(hasUp ? [up] : []), label, ...actions],
    layout: { flow: 'row', align: 'center', width: 'fill', height: TOOLBAR_HEIGHT, padX: 24 },
    style: { background: app.document.color },
  })
}

const DIALOG_MARGIN = 60

function createDialogWindow(context: AppContext & { readonly dialog: OpenDialog }, close: () => void): Window {
  const { device, app, dialog } = context
  const room = measureUsableArea(device)
  const panel = createDialogPanel(context, close)
  const width = room.width - 2 * DIALOG_MARGIN
  const height = Math.min(measureView(panel, width, room.height).height, room.height)
  const top = STATUS_BAR_HEIGHT + Math.floor((room.height - height) / 2)
  const rect = { left: DIALOG_MARGIN, top, right: DIALOG_MARGIN + width, bottom: top + height }
  const root = createView({
    ...baseView(context, 'root', 'android.widget.FrameLayout'),
    children: [panel],
    layout: { flow: 'stack' },
    style: { background: '#ffffff' },
  })
  placeView(root, rect, rect)
  const cancel = (): void => {
    if (!dialog.document.cancelable) return
    close()
    runActions(context, dialog.document.on_cancel)
  }
  const title = renderTemplate(dialog.document.title, buildScope(context))
  const activity = context.screen === undefined ? title : toActivityName(app, context.screen.name)
  return { id: dialog.id, kind: 'dialog', app, activity, title, root, cancel }
}

const BUTTON_IDS = { positive: 'button1', negative: 'button2', neutral: 'button3' }

function createDialogPanel(context: AppContext & { readonly dialog: OpenDialog }, close: () => void): View {
  const { document } = context.dialog
  const textViews = (key: 'title' | 'message', id: string, size: number): View[] => {
    const text = renderTemplate(document[key], buildScope(context))
    const style = { size, bold: key === 'title' }
    const view = baseView(context, `dialog/${key}`, 'android.widget.TextView')
    return text === '' ? [] : [createView({ ...view, resourceId: `android:id/${id}`, text, style })]
  }
  const children = [
    ...textViews('title', 'alertTitle', 52),
    ...textViews('message', 'message', 42),
    ...inflateNodes(document.content, context, 'dialog/content'),
    ...(document.buttons.length === 0 ? [] : [createButtonBar(context, close)]),
  ]
  for (const [index, view] of children.entries()) view.index = index
  return createView({
    ...baseView(context, 'dialog', 'android.widget.LinearLayout'),
    resourceId: 'android:id/parentPanel',
    children,
    layout: { flow: 'column', width: 'fill', padX: 60, padY: 48, gap: 42 },
  })
}

/** Android places the neutral and negative buttons left of the positive button. */
function createButtonBar(context: AppContext & { readonly dialog: OpenDialog }, close: () => void): View {
  const order = ['neutral', 'negative', 'positive'] as const
  const { buttons } = context.dialog.document
  const arranged = order.flatMap((role) => buttons.filter((button) => button.role === role))
  const children = arranged.map((button, index) => {
    const enabled = button.enabled === undefined || isTrue(evaluate(button.enabled, buildScope(context)))
    return createView({
      ...baseView(context, `dialog/button/${index}`, 'android.widget.Button'),
      resourceId: `android:id/${BUTTON_IDS[button.role]}`,
      index,
      text: renderTemplate(button.text, buildScope(context)),
      clickable: true,
      focusable: true,
      enabled,
      onTap: () => {
        close()
        runActions(context, button.actions)
      },
      layout: { intrinsic: { width: 72, height: 126 } },
      style: { shape: 'button', textAlign: 'center', accent: context.app.document.color },
    })
  })
  return createView({
    ...baseView(context, 'dialog/buttons', 'android.widget.ScrollView'),
    resourceId: 'android:id/buttonPanel',
    children,
    layout: { flow: 'row', align: 'center', justify: 'end', width: 'fill', gap: 24 },
  })
}
