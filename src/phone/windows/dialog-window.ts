import { evaluate, isTrue } from '../documents/evaluation.ts'
import { renderTemplate } from '../documents/template.ts'
import { runActions } from '../model/actions.ts'
import { toActivityName, type OpenDialog } from '../model/app.ts'
import { buildScope, type AppContext } from '../model/scope.ts'
import { createView, type Rect, type View } from '../model/view.ts'
import { inflateNodes } from '../views/inflate.ts'
import { measureView, placeView } from '../views/layout.ts'
import { inflateTree } from '../views/recorded.ts'
import { baseView, measureUsableArea, STATUS_BAR_HEIGHT, type Window } from './frame.ts'

const DIALOG_MARGIN = 60

const MENU_WIDTH = 600

export type DialogContext = AppContext & { readonly dialog: OpenDialog }

/** Creates the window of a dialog above the windows so far. */
export function createDialogWindow(context: DialogContext, close: () => void): Window {
  const root = createDialogRoot(context, close)
  return { ...describeDialog(context, close), root }
}

/** Adds a dialog to the window below it, so that a dump contains both. */
export function addDialog(window: Window, context: DialogContext, close: () => void): Window {
  const { bounds } = window.root
  const scrim = createView({
    ...baseView(context, 'dialog/scrim', 'android.view.View'),
    index: window.root.children.length,
    description: renderTemplate(context.dialog.document.scrim_description, buildScope(context)),
    clickable: context.dialog.document.cancelable,
    onTap: () => cancelDialog(context, close),
    style: { shape: 'scrim' },
  })
  placeView(scrim, bounds, bounds)
  const panel = { ...createDialogRoot(context, close), index: window.root.children.length + 1, blocks: true }
  const root = { ...window.root, children: [...window.root.children, scrim, panel] }
  return { ...window, ...describeDialog(context, close), root }
}

function describeDialog(context: DialogContext, close: () => void) {
  const { app, dialog, screen } = context
  const title = renderTemplate(dialog.document.title, buildScope(context))
  const activity = screen === undefined ? title : toActivityName(app, screen.name)
  return { id: dialog.id, kind: 'dialog', app, activity, title, cancel: () => cancelDialog(context, close) } as const
}

function cancelDialog(context: DialogContext, close: () => void): void {
  const { document } = context.dialog
  if (!document.cancelable) return
  close()
  runActions(context, document.on_cancel)
}

function createDialogRoot(context: DialogContext, close: () => void): View {
  const { document } = context.dialog
  if (document.tree !== undefined) return inflateTree(document.tree, document.bindings, context)
  const panel = createDialogPanel(context, close)
  const rect = placeDialog(context, panel)
  const root = createView({
    ...baseView(context, 'dialog/root', 'android.widget.FrameLayout'),
    children: [panel],
    layout: { flow: 'stack' },
    style: { background: '#ffffff' },
  })
  placeView(root, rect, rect)
  return root
}

/** Where the panel of a dialog is on the screen. */
function placeDialog({ device, dialog }: DialogContext, panel: View): Rect {
  const room = measureUsableArea(device)
  const { place } = dialog.document
  const margin = place === 'center' ? DIALOG_MARGIN : 0
  const width = place === 'touch' ? MENU_WIDTH : room.width - 2 * margin
  const needed = Math.min(measureView(panel, width, room.height).height, room.height)
  const height = place === 'fill' ? room.height : needed
  const [left, top] = placePanel({
    place,
    anchor: dialog.anchor,
    spareX: room.width - width,
    spareY: room.height - height,
  })
  return { left, top: STATUS_BAR_HEIGHT + top, right: left + width, bottom: STATUS_BAR_HEIGHT + top + height }
}

interface PanelRoom {
  readonly place: OpenDialog['document']['place']
  readonly anchor: OpenDialog['anchor']
  readonly spareX: number
  readonly spareY: number
}

function placePanel({ place, anchor, spareX, spareY }: PanelRoom): readonly [left: number, top: number] {
  const clamp = (value: number, limit: number): number => Math.round(Math.min(limit, Math.max(0, value)))
  switch (place) {
    case 'center':
      return [Math.floor(spareX / 2), Math.floor(spareY / 2)]
    case 'bottom':
      return [0, spareY]
    case 'touch':
      return [clamp(anchor.x - MENU_WIDTH / 2, spareX), clamp(anchor.y - STATUS_BAR_HEIGHT, spareY)]
    case 'fill':
      return [0, 0]
  }
}

const BUTTON_IDS = { positive: 'button1', negative: 'button2', neutral: 'button3' }

function createDialogPanel(context: DialogContext, close: () => void): View {
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
function createButtonBar(context: DialogContext, close: () => void): View {
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
