import { renderTemplate } from '../documents/template.ts'
import { closeScreen } from '../model/actions.ts'
import { toActivityName, type App, type OpenScreen } from '../model/app.ts'
import type { Device } from '../model/device.ts'
import { buildScope, type AppContext } from '../model/scope.ts'
import { createView, type Rect, type View } from '../model/view.ts'
import { inflateNodes } from '../views/inflate.ts'
import { measureView, placeView } from '../views/layout.ts'
import { inflateTree } from '../views/recorded.ts'
import { baseView, measureUsableArea, STATUS_BAR_HEIGHT, type Window } from './frame.ts'

const TOOLBAR_HEIGHT = 168

/** Creates the window of a screen. */
export function createScreenWindow(device: Device, app: App, screen: OpenScreen): Window {
  const context: AppContext = { device, app, screen }
  const document = app.document.screens[screen.name]
  const title = renderTemplate(document?.title ?? app.document.label, buildScope(context))
  const full: Rect = { left: 0, top: 0, right: device.screen.width, bottom: device.screen.height }
  const frame = { id: screen.id, kind: 'app', app, activity: toActivityName(app, screen.name), title } as const
  if (document?.tree !== undefined && device.clock.now() >= screen.readyAtMs) {
    return { ...frame, root: inflateTree(document.tree, document.bindings, context) }
  }
  const area = measureUsableArea(device, document?.keyboard)
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
      at: { ...area, x: 0, y: STATUS_BAR_HEIGHT },
    },
  })
  const root = createView({
    ...baseView(context, 'root', 'android.widget.FrameLayout'),
    children: [usable, ...createSnackbars(context, STATUS_BAR_HEIGHT + area.height)],
    layout: { flow: 'stack' },
  })
  placeView(root, full, full)
  return { ...frame, root }
}

const SNACKBAR_MARGIN = 24

/** The snackbar of the screen, if its time is not over. A swipe removes it. */
function createSnackbars(context: AppContext, bottom: number): View[] {
  const { device, app, screen } = context
  const snackbar = screen?.snackbar
  if (screen === undefined || snackbar === undefined || device.clock.now() >= snackbar.untilMs) return []
  const remove = (): void => {
    screen.snackbar = undefined
  }
  const text = createView({
    ...baseView(context, 'snackbar/text', 'android.widget.TextView'),
    resourceId: `${app.document.package}:id/snackbar_text`,
    text: snackbar.text,
    layout: { weight: 1, padX: 36, padY: 42 },
    style: { color: '#ffffff' },
  })
  const button = createView({
    ...baseView(context, 'snackbar/action', 'android.widget.Button'),
    resourceId: `${app.document.package}:id/snackbar_action`,
    index: 1,
    text: snackbar.action,
    clickable: true,
    focusable: true,
    onTap: () => snackbar.run(),
    layout: { padX: 36, padY: 42 },
    style: { color: '#ffab40', bold: true },
  })
  const width = device.screen.width - 2 * SNACKBAR_MARGIN
  const bar = {
    ...baseView(context, 'snackbar', 'android.widget.LinearLayout'),
    index: 1,
    children: snackbar.action === '' ? [text] : [text, button],
    onSwipe: { left: remove, right: remove },
    blocks: true,
    style: { background: '#323232' },
  }
  const layout = { flow: 'row', align: 'center', width: 'fill' } as const
  const { height } = measureView(createView({ ...bar, layout }), width, bottom)
  const at = { x: SNACKBAR_MARGIN, y: bottom - height - SNACKBAR_MARGIN, width, height }
  return [createView({ ...bar, layout: { ...layout, at } })]
}

function inflateContent(context: AppContext): View[] {
  const { device, app, screen } = context
  const document = app.document.screens[screen?.name ?? '']
  if (document === undefined || screen === undefined) return []
  if (device.clock.now() >= screen.readyAtMs) return inflateNodes(document.content ?? [], context, 'c')
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
