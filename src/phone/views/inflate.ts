import type { Node, NodeOf } from '../documents/app-node.ts'
import { evaluate, isTrue, toNumber } from '../documents/evaluation.ts'
import { renderTemplate } from '../documents/template.ts'
import { buildScope, type AppContext } from '../model/scope.ts'
import { fillRecord } from '../model/state-changes.ts'
import { createView, type View } from '../model/view.ts'
import { inflateCalendar } from './calendar.ts'
import { inflateChoice } from './choice.ts'
import { inflateControl, writeValue } from './controls.ts'
import { hideViews, mergeViews } from './merge.ts'
import { groupEntries, listEntries, type Entry } from './repeated.ts'
import { createScrollControl, createSnapControl } from './scroll-control.ts'
import { buildViewBase } from './view-base.ts'
import { inflateWheel } from './wheel.ts'

/** Creates the views of document nodes from the current state. */
export function inflateNodes(nodes: readonly Node[], context: AppContext, key: string): View[] {
  const views = nodes.flatMap((node, index) => inflateNode(node, context, `${key}/${index}`))
  for (const [index, view] of views.entries()) view.index = index
  return views
}

function inflateNode(node: Node, context: AppContext, key: string): View[] {
  if (node.visible !== undefined && !isTrue(evaluate(node.visible, buildScope(context)))) return []
  const views = createViews(node, context, key)
  return node.dumped === false ? hideViews(views) : views
}

function createViews(node: Node, context: AppContext, key: string): View[] {
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
    case 'pager':
      return [inflatePager(node, context, key)]
    case 'text':
    case 'button':
    case 'image':
    case 'spacer':
    case 'divider':
      return [inflateLeaf(node, context, key)]
    case 'choice':
      return [inflateChoice(node, context, buildViewBase(node, context, key))]
    case 'wheel':
      return [inflateWheel(node, context, buildViewBase(node, context, key))]
    case 'calendar':
      return [inflateCalendar(node, context, buildViewBase(node, context, key))]
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
  const scrolls = node.type === 'scroll'
  const inner = inflateNodes(node.children, context, key)
  const merged = node.merged === true ? mergeViews(inner) : { words: '', children: inner }
  const box = createView({
    ...base,
    className: node.class ?? BOX_CLASSES[node.type],
    description: base.description === '' ? merged.words : base.description,
    children: merged.children,
    scroll: scrolls ? createScrollControl(context, { key, axis: 'vertical', onEnd: node.on_end }) : undefined,
    layout: {
      ...base.layout,
      flow: node.type === 'scroll' ? 'column' : node.type,
      gap: node.gap ?? 0,
      width: node.width ?? 'fill',
      height: node.height ?? (scrolls ? 'fill' : 'wrap'),
      align: node.align ?? (node.type === 'row' ? 'center' : 'start'),
      page: node.reveal !== undefined,
    },
  })
  return node.reveal === undefined
    ? box
    : wrapRevealing(box, inflateNodes(node.reveal, context, `${key}/reveal`), context)
}

/** Wraps a box so that a swipe to the left reveals nodes at its right end. */
function wrapRevealing(box: View, revealed: readonly View[], context: AppContext): View {
  const key = `${box.key}/revealing`
  for (const view of revealed) view.index += 1
  return createView({
    key,
    packageName: box.packageName,
    className: 'android.widget.FrameLayout',
    children: [box, ...revealed],
    scroll: createSnapControl(context, key),
    layout: { flow: 'row', align: 'center', width: 'fill', height: box.layout.height },
  })
}

/** Displays one of its children. A swipe sideways displays the next or previous one. */
function inflatePager(node: NodeOf<'pager'>, context: AppContext, key: string): View {
  const base = buildViewBase(node, context, key)
  const last = node.children.length - 1
  const at = Math.min(last, Math.max(0, toNumber(evaluate(node.bind, buildScope(context)))))
  const page = node.children.slice(at, at + 1)
  return createView({
    ...base,
    className: node.class ?? 'androidx.viewpager.widget.ViewPager',
    children: inflateNodes(page, context, `${key}/${at}`),
    scroll: {
      axis: 'horizontal',
      offset: at,
      limit: last,
      printed: 'overflow',
      move: (by) => writeValue(node, context, Math.min(last, Math.max(0, at + Math.sign(by)))),
    },
    layout: { ...base.layout, flow: 'stack', width: node.width ?? 'fill', height: node.height ?? 'fill' },
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
    scroll: createScrollControl(context, { key, axis, onEnd: node.on_end }),
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
  const entries = listEntries(node, context)
  if (entries.length === 0) return inflateNodes(node.empty ?? [], context, `${key}/empty`)
  const inflateEntry = (entry: Entry): View[] => inflateNodes(node.template, entry.context, `${key}/${entry.key}`)
  if (node.section_by === undefined) return entries.flatMap(inflateEntry)
  return groupEntries(entries, node.section_by).flatMap((section) => {
    const headers = inflateNodes(node.section ?? [], section.context, `${key}/section/${section.key}`)
    return [...(node.sticky === true ? headers.map(makeSticky) : headers), ...section.entries.flatMap(inflateEntry)]
  })
}

const makeSticky = (view: View): View => ({ ...view, blocks: true, layout: { ...view.layout, sticky: true } })

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
