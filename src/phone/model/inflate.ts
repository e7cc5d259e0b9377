import { runActions } from './actions.ts'
import type { Node, NodeOf } from '../documents/app-node.ts'
import { inflateControl } from './controls.ts'
import { evaluate, isTrue, toList, toNumber, formatValue } from '../documents/evaluation.ts'
import { buildScope, type AppContext } from './scope.ts'
import { fillRecord } from './actions.ts'
import { renderTemplate } from '../documents/template.ts'
import { createView, type Layout, type Style, type View } from './view.ts'

/** Creates the views of document nodes from the current state. */
export function inflateNodes(nodes: readonly Node[], context: AppContext, key: string): View[] {
  const views = nodes.flatMap((node, index) => inflateNode(node, context, `${key}/${index}`))
  for (const [index, view] of views.entries()) view.index = index
  return views
}

function inflateNode(node: Node, context: AppContext, key: string): View[] {
  if (node.visible !== undefined && !isTrue(evaluate(node.visible, buildScope(context)))) return []
  switch (node.type) {
    case 'use':
      return inflateComponent(node, context, key)
    case 'each':
      return inflateItems(node, context, key)
    case 'list':
      return [inflateList(node, context, key)]
    case 'row':
    case 'column':
    case 'stack':
    case 'scroll':
      return [inflateBox(node, context, key)]
    case 'text':
    case 'button':
    case 'image':
    case 'spacer':
    case 'divider':
      return [inflateLeaf(node, context, key)]
    case 'switch':
    case 'checkbox':
    case 'radio':
    case 'field':
    case 'slider':
    case 'stepper':
    case 'progress':
      return [inflateControl(node, context, buildViewBase(node, context, key))]
  }
}

/** Inflates a component. Fields of the `use` node override those of the component. */
function inflateComponent(node: NodeOf<'use'>, context: AppContext, key: string): View[] {
  const component = context.app.document.components[node.component]
  if (component === undefined) return []
  const { type: _type, component: _component, with: given, visible: _visible, ...own } = node
  const overrides = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined))
  const names = { ...context.names, with: fillRecord(given, context) }
  return inflateNode({ ...component, ...overrides }, { ...context, names }, key)
}

function inflateBox(node: NodeOf<'row' | 'column' | 'stack' | 'scroll'>, context: AppContext, key: string): View {
  const base = buildViewBase(node, context, key)
  const flow = node.type === 'scroll' ? 'column' : node.type
  return createView({
    ...base,
    className: node.class ?? BOX_CLASSES[node.type],
    children: inflateNodes(node.children, context, key),
    scroll: node.type === 'scroll' ? createScrollControl(context, key, 'vertical') : undefined,
    layout: {
      ...base.layout,
      flow,
      gap: node.gap ?? 0,
      width: node.width ?? 'fill',
      height: node.height ?? (node.type === 'scroll' ? 'fill' : 'wrap'),
      align: node.align ?? (node.type === 'row' ? 'center' : 'start'),
    },
  })
}

const BOX_CLASSES = {
  row: 'android.widget.LinearLayout',
  column: 'android.widget.LinearLayout',
  stack: 'android.widget.FrameLayout',
  scroll: 'android.widget.ScrollView',
}

function inflateList(node: NodeOf<'list'>, context: AppContext, key: string): View {
  const base = buildViewBase(node, context, key)
  const axis = node.direction ?? 'vertical'
  const views = inflateItems(node, context, key)
  for (const [index, view] of views.entries()) view.index = index
  const flow = axis === 'horizontal' ? 'row' : 'column'
  return createView({
    ...base,
    className: node.class ?? 'androidx.recyclerview.widget.RecyclerView',
    focusable: true,
    children: views,
    scroll: createScrollControl(context, key, axis),
    layout: {
      ...base.layout,
      flow: node.columns === undefined ? flow : 'grid',
      columns: node.columns ?? 1,
      gap: node.gap ?? 0,
      width: node.width ?? 'fill',
      height: node.height ?? (axis === 'vertical' ? 'fill' : 'wrap'),
    },
  })
}

/** Inflates the template once for each item, or `empty` when there are no items. */
function inflateItems(node: NodeOf<'list' | 'each'>, context: AppContext, key: string): View[] {
  const withItem = (item: unknown, index: number): AppContext => ({
    ...context,
    names: { ...context.names, item, index },
  })
  const test = node.where
  const items = toList(evaluate(node.items, buildScope(context))).filter(
    (item, index) => test === undefined || isTrue(evaluate(test, buildScope(withItem(item, index)))),
  )
  if (items.length === 0) return inflateNodes(node.empty ?? [], context, `${key}/empty`)
  return sortItems(node, items, withItem).flatMap((item, index) =>
    inflateNodes(node.template, withItem(item, index), `${key}/${toItemKey(item, index)}`),
  )
}

function sortItems(
  node: NodeOf<'list' | 'each'>,
  items: readonly unknown[],
  withItem: (item: unknown, index: number) => AppContext,
): readonly unknown[] {
  const rule = node.sort_by
  if (rule === undefined) return items
  const keyed = items.map((item, index) => ({
    item,
    by: evaluate(rule, buildScope(withItem(item, index))),
  }))
  const order = (left: unknown, right: unknown): number =>
    typeof left === 'number' && typeof right === 'number'
      ? left - right
      : formatValue(left).localeCompare(formatValue(right), 'en')
  return keyed.toSorted((left, right) => order(left.by, right.by)).map((entry) => entry.item)
}

function toItemKey(item: unknown, index: number): string {
  const id: unknown = typeof item === 'object' && item !== null ? Reflect.get(item, 'id') : undefined
  return typeof id === 'string' || typeof id === 'number' ? `#${id}` : String(index)
}

function inflateLeaf(
  node: NodeOf<'text' | 'button' | 'image' | 'spacer' | 'divider'>,
  context: AppContext,
  key: string,
): View {
  const base = buildViewBase(node, context, key)
  const text = 'text' in node ? renderTemplate(node.text, buildScope(context)) : ''
  switch (node.type) {
    case 'text':
      return createView({ ...base, className: node.class ?? 'android.widget.TextView', text })
    case 'button':
      return createView({
        ...base,
        className: node.class ?? 'android.widget.Button',
        text,
        clickable: node.clickable ?? true,
        focusable: node.focusable ?? true,
        style: { ...base.style, shape: 'button', textAlign: node.align ?? 'center' },
        layout: { ...base.layout, intrinsic: { width: 72, height: 126 } },
      })
    case 'image': {
      const side = { width: 108, height: 108 }
      const icon = node.icon === undefined ? base.description : renderTemplate(node.icon, buildScope(context))
      return createView({
        ...base,
        className: node.class ?? `android.widget.Image${base.onTap === undefined ? 'View' : 'Button'}`,
        style: { ...base.style, shape: 'image', icon },
        layout: { ...base.layout, intrinsic: side },
      })
    }
    case 'spacer':
    case 'divider': {
      const line = node.type === 'divider'
      const background = node.background ?? (line ? '#e0e0e0' : undefined)
      return createView({
        ...base,
        className: node.class ?? 'android.view.View',
        style: background === undefined ? base.style : { ...base.style, background },
        layout: {
          ...base.layout,
          width: node.width ?? (line ? 'fill' : 24),
          height: node.height ?? (line ? 3 : 24),
        },
      })
    }
  }
}

/** The view properties common to all node types. */
export interface ViewBase extends Omit<Parameters<typeof createView>[0], 'className'> {
  readonly description: string
  readonly onTap?: (() => void) | undefined
  readonly layout: Partial<Layout>
  readonly style: Partial<Style>
}

function buildViewBase(node: Node, context: AppContext, key: string): ViewBase {
  const scope = buildScope(context)
  const { on_tap, on_long_press } = node
  const evaluateFlag = (test: Node['enabled'], otherwise: boolean): boolean =>
    test === undefined ? otherwise : isTrue(evaluate(test, scope))
  const clickable = node.clickable ?? on_tap !== undefined
  const packageName = context.app.document.package
  return {
    key,
    packageName,
    resourceId: node.id === undefined ? '' : toResourceId(packageName, node.id),
    description: renderTemplate(node.description, scope),
    clickable,
    focusable: node.focusable ?? clickable,
    longClickable: on_long_press !== undefined,
    enabled: evaluateFlag(node.enabled, true),
    selected: evaluateFlag(node.selected, false),
    onTap: on_tap && (() => runActions(context, on_tap)),
    onLongPress: on_long_press && (() => runActions(context, on_long_press)),
    layout: buildLayout(node),
    style: buildStyle(node, context),
  }
}

export function toResourceId(packageName: string, id: string): string {
  return id.includes(':') ? id : `${packageName}:id/${id}`
}

function buildLayout(node: Node): Partial<Layout> {
  const padding = node.padding ?? 0
  const [padX, padY] = typeof padding === 'number' ? [padding, padding] : padding
  return {
    padX,
    padY,
    width: node.width ?? 'wrap',
    height: node.height ?? 'wrap',
    weight: node.weight ?? 0,
    ...(node.at && { at: node.at }),
  }
}

function buildStyle(node: Node, context: AppContext): Partial<Style> {
  return {
    size: node.size ?? 42,
    bold: node.bold ?? false,
    textAlign: node.align ?? 'start',
    accent: context.app.document.color,
    ...(node.color && { color: node.color }),
    ...(node.background && { background: node.background }),
  }
}

function createScrollControl(context: AppContext, key: string, axis: 'vertical' | 'horizontal') {
  const scrolls = (context.dialog ?? context.screen)?.scrolls
  return {
    axis,
    offset: toNumber(scrolls?.get(key)),
    limit: 0,
    store: (offset: number) => {
      scrolls?.set(key, offset)
    },
  }
}
