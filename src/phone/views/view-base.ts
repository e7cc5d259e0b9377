import type { Node } from '../documents/app-node.ts'
import { evaluate, isTrue } from '../documents/evaluation.ts'
import type { Expression } from '../documents/expression.ts'
import { fillValue, renderTemplate } from '../documents/template.ts'
import { runActions } from '../model/actions.ts'
import { buildScope, type AppContext } from '../model/scope.ts'
import { evaluateNumber } from '../model/state-changes.ts'
import { DIRECTIONS, type createView, type Layout, type Style, type SwipeHandlers } from '../model/view.ts'

/** The view properties common to all node types. */
export interface ViewBase extends Omit<Parameters<typeof createView>[0], 'className'> {
  readonly description: string
  readonly onTap?: (() => void) | undefined
  readonly layout: Partial<Layout>
  readonly style: Partial<Style>
}

export function buildViewBase(node: Node, context: AppContext, key: string): ViewBase {
  const scope = buildScope(context)
  const { on_tap, on_long_press } = node
  const evaluateFlag = (test: Node['enabled'], otherwise: boolean): boolean =>
    test === undefined ? otherwise : isTrue(evaluate(test, scope))
  const clickable = node.clickable ?? on_tap !== undefined
  const { on_drop } = node
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
    checkable: node.checkable ?? node.checked !== undefined,
    checked: evaluateFlag(node.checked, false),
    animated: evaluateFlag(node.animated, false),
    fixedClass: node.class !== undefined,
    onSwipe: node.on_swipe && createSwipeHandlers(node.on_swipe, context),
    drag: node.drag === undefined ? undefined : { value: fillValue(node.drag, scope), hold: node.drag_hold ?? false },
    onDrop: on_drop && ((dropped) => runActions({ ...context, names: { ...context.names, dropped } }, on_drop)),
    onTap: on_tap && (() => runActions(context, on_tap)),
    onLongPress: on_long_press && (() => runActions(context, on_long_press)),
    layout: buildLayout(node, context),
    style: buildStyle(node, context),
  }
}

/** Handlers of the directions that have actions. */
export function createSwipeHandlers(swipes: NonNullable<Node['on_swipe']>, context: AppContext): SwipeHandlers {
  const handlers = DIRECTIONS.flatMap((direction) => {
    const actions = swipes[direction]
    return actions === undefined ? [] : [[direction, () => runActions(context, actions)] as const]
  })
  return Object.fromEntries(handlers)
}

type BoxExpressions = Readonly<Record<'x' | 'y' | 'width' | 'height', Expression>>

export function evaluateBox(box: BoxExpressions, context: AppContext): NonNullable<Layout['at']> {
  const read = (expression: Expression): number => Math.round(evaluateNumber(expression, context))
  return { x: read(box.x), y: read(box.y), width: read(box.width), height: read(box.height) }
}

export function toResourceId(packageName: string, id: string): string {
  if (id.startsWith(':')) return id.slice(1)
  return id.includes(':') ? id : `${packageName}:id/${id}`
}

function buildLayout(node: Node, context: AppContext): Partial<Layout> {
  const padding = node.padding ?? 0
  const [padX, padY] = typeof padding === 'number' ? [padding, padding] : padding
  return {
    padX,
    padY,
    width: node.width ?? 'wrap',
    height: node.height ?? 'wrap',
    weight: node.weight ?? 0,
    ...(node.at && { at: evaluateBox(node.at, context) }),
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
