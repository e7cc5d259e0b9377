import { runActions } from './actions.ts'
import type { Node, NodeOf } from '../documents/app-node.ts'
import { inflateControl } from './controls.ts'
import { evaluate, isTrue, listOf, numberOf, showValue } from '../documents/evaluation.ts'
import { scopeOf, type Spot } from './scope.ts'
import { fillRecord } from './actions.ts'
import { renderTemplate } from '../documents/template.ts'
import { createView, type Layout, type Look, type View } from './view.ts'

/** Turns nodes of a document into views, with the state of this moment in them. */
export function inflateNodes(nodes: readonly Node[], spot: Spot, key: string): View[] {
  const views = nodes.flatMap((node, index) => inflateNode(node, spot, `${key}/${index}`))
  for (const [index, view] of views.entries()) view.index = index
  return views
}

function inflateNode(node: Node, spot: Spot, key: string): View[] {
  if (node.visible !== undefined && !isTrue(evaluate(node.visible, scopeOf(spot)))) return []
  switch (node.type) {
    case 'use':
      return inflateComponent(node, spot, key)
    case 'each':
      return repeated(node, spot, key)
    case 'list':
      return [inflateList(node, spot, key)]
    case 'row':
    case 'column':
    case 'stack':
    case 'scroll':
      return [inflateBox(node, spot, key)]
    case 'text':
    case 'button':
    case 'image':
    case 'spacer':
    case 'divider':
      return [inflateLeaf(node, spot, key)]
    case 'switch':
    case 'checkbox':
    case 'radio':
    case 'field':
    case 'slider':
    case 'stepper':
    case 'progress':
      return [inflateControl(node, spot, baseOf(node, spot, key))]
  }
}

/** A component drawn with its own `with`; what the `use` node says itself wins. */
function inflateComponent(node: NodeOf<'use'>, spot: Spot, key: string): View[] {
  const component = spot.app.document.components[node.component]
  if (component === undefined) return []
  const { type: _type, component: _component, with: given, visible: _visible, ...own } = node
  const stated = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined))
  const names = { ...spot.names, with: fillRecord(given, spot) }
  return inflateNode({ ...component, ...stated }, { ...spot, names }, key)
}

function inflateBox(
  node: NodeOf<'row' | 'column' | 'stack' | 'scroll'>,
  spot: Spot,
  key: string,
): View {
  const base = baseOf(node, spot, key)
  const flow = node.type === 'scroll' ? 'column' : node.type
  return createView({
    ...base,
    className: node.class ?? BOX_CLASSES[node.type],
    children: inflateNodes(node.children, spot, key),
    scroll: node.type === 'scroll' ? scrollControl(spot, key, 'vertical') : undefined,
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

function inflateList(node: NodeOf<'list'>, spot: Spot, key: string): View {
  const base = baseOf(node, spot, key)
  const axis = node.direction ?? 'vertical'
  const views = repeated(node, spot, key)
  for (const [index, view] of views.entries()) view.index = index
  const flow = axis === 'horizontal' ? 'row' : 'column'
  return createView({
    ...base,
    className: node.class ?? 'androidx.recyclerview.widget.RecyclerView',
    focusable: true,
    children: views,
    scroll: scrollControl(spot, key, axis),
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

/** The template once for each item; `empty` when there is none. */
function repeated(node: NodeOf<'list' | 'each'>, spot: Spot, key: string): View[] {
  const within = (item: unknown, index: number): Spot => ({
    ...spot,
    names: { ...spot.names, item, index },
  })
  const test = node.where
  const items = listOf(evaluate(node.items, scopeOf(spot))).filter(
    (item, index) => test === undefined || isTrue(evaluate(test, scopeOf(within(item, index)))),
  )
  if (items.length === 0) return inflateNodes(node.empty ?? [], spot, `${key}/empty`)
  return sorted(node, items, within).flatMap((item, index) =>
    inflateNodes(node.template, within(item, index), `${key}/${itemKey(item, index)}`),
  )
}

function sorted(
  node: NodeOf<'list' | 'each'>,
  items: readonly unknown[],
  within: (item: unknown, index: number) => Spot,
): readonly unknown[] {
  const rule = node.sort_by
  if (rule === undefined) return items
  const keyed = items.map((item, index) => ({
    item,
    by: evaluate(rule, scopeOf(within(item, index))),
  }))
  const order = (left: unknown, right: unknown): number =>
    typeof left === 'number' && typeof right === 'number'
      ? left - right
      : showValue(left).localeCompare(showValue(right), 'en')
  return keyed.toSorted((left, right) => order(left.by, right.by)).map((entry) => entry.item)
}

function itemKey(item: unknown, index: number): string {
  const id: unknown =
    typeof item === 'object' && item !== null ? Reflect.get(item, 'id') : undefined
  return typeof id === 'string' || typeof id === 'number' ? `#${id}` : String(index)
}

function inflateLeaf(
  node: NodeOf<'text' | 'button' | 'image' | 'spacer' | 'divider'>,
  spot: Spot,
  key: string,
): View {
  const base = baseOf(node, spot, key)
  const text = 'text' in node ? renderTemplate(node.text, scopeOf(spot)) : ''
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
        look: { ...base.look, shape: 'button', textAlign: node.align ?? 'center' },
        layout: { ...base.layout, intrinsic: { width: 72, height: 126 } },
      })
    case 'image': {
      const side = { width: 108, height: 108 }
      const icon =
        node.icon === undefined ? base.description : renderTemplate(node.icon, scopeOf(spot))
      return createView({
        ...base,
        className:
          node.class ?? `android.widget.Image${base.onTap === undefined ? 'View' : 'Button'}`,
        look: { ...base.look, shape: 'image', icon },
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
        look: background === undefined ? base.look : { ...base.look, background },
        layout: {
          ...base.layout,
          width: node.width ?? (line ? 'fill' : 24),
          height: node.height ?? (line ? 3 : 24),
        },
      })
    }
  }
}

/** What every node has in common, before its own type adds to it. */
export interface ViewBase extends Omit<Parameters<typeof createView>[0], 'className'> {
  readonly description: string
  readonly onTap?: (() => void) | undefined
  readonly layout: Partial<Layout>
  readonly look: Partial<Look>
}

function baseOf(node: Node, spot: Spot, key: string): ViewBase {
  const scope = scopeOf(spot)
  const { on_tap, on_long_press } = node
  const holds = (test: Node['enabled'], otherwise: boolean): boolean =>
    test === undefined ? otherwise : isTrue(evaluate(test, scope))
  const clickable = node.clickable ?? on_tap !== undefined
  const packageName = spot.app.document.package
  return {
    key,
    packageName,
    resourceId: node.id === undefined ? '' : resourceId(packageName, node.id),
    description: renderTemplate(node.description, scope),
    clickable,
    focusable: node.focusable ?? clickable,
    longClickable: on_long_press !== undefined,
    enabled: holds(node.enabled, true),
    selected: holds(node.selected, false),
    onTap: on_tap && (() => runActions(spot, on_tap)),
    onLongPress: on_long_press && (() => runActions(spot, on_long_press)),
    layout: layoutOf(node),
    look: lookOf(node, spot),
  }
}

export function resourceId(packageName: string, id: string): string {
  return id.includes(':') ? id : `${packageName}:id/${id}`
}

function layoutOf(node: Node): Partial<Layout> {
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

function lookOf(node: Node, spot: Spot): Partial<Look> {
  return {
    size: node.size ?? 42,
    bold: node.bold ?? false,
    textAlign: node.align ?? 'start',
    accent: spot.app.document.color,
    ...(node.color && { color: node.color }),
    ...(node.background && { background: node.background }),
  }
}

function scrollControl(spot: Spot, key: string, axis: 'vertical' | 'horizontal') {
  const scrolls = (spot.dialog ?? spot.screen)?.scrolls
  return {
    axis,
    offset: numberOf(scrolls?.get(key)),
    limit: 0,
    store: (offset: number) => {
      scrolls?.set(key, offset)
    },
  }
}
