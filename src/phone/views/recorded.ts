import { evaluate, formatValue, isTrue, toNumber } from '../documents/evaluation.ts'
import { resolveBindings, type RecordedNode, type TreeBinding } from '../documents/recorded-tree.ts'
import { fillValue, renderTemplate } from '../documents/template.ts'
import { runActions } from '../model/actions.ts'
import { buildScope, type AppContext } from '../model/scope.ts'
import { createView, intersect, type FieldControl, type Rect, type Style, type View } from '../model/view.ts'
import { writeValue } from './controls.ts'
import { isFocused } from './field.ts'
import { listEntries } from './repeated.ts'
import { createScrollControl } from './scroll-control.ts'
import { createSwipeHandlers, evaluateBox } from './view-base.ts'

type Bindings = ReadonlyMap<RecordedNode, TreeBinding>

/** Where and for which entry a recorded node is displayed. */
interface Place {
  readonly bindings: Bindings
  readonly context: AppContext
  readonly key: string
  readonly dx: number
  readonly dy: number
}

/** Creates the views of a recorded tree. Their bounds are those of the tree. */
export function inflateTree(tree: RecordedNode, bindings: readonly TreeBinding[], context: AppContext): View {
  const place = { bindings: resolveBindings(tree, bindings), context, key: 't', dx: 0, dy: 0 }
  const root = createRecordedView(tree, place)
  const { width, height } = context.device.screen
  clipView(root, { left: 0, top: 0, right: width, bottom: height })
  return root
}

/** Recorded bounds are those of the visible part. Only what was moved has to be clipped. */
function clipView(view: View, clip: Rect): void {
  view.visibleBounds = view.kept === true ? view.bounds : intersect(view.bounds, clip)
  const inner = view.scroll === undefined ? clip : view.visibleBounds
  for (const child of view.children) clipView(child, inner)
}

function moveView(view: View, dx: number, dy: number): void {
  view.bounds = shift(view.bounds, dx, dy)
  view.kept = false
  for (const child of view.children) moveView(child, dx, dy)
}

function shift({ left, top, right, bottom }: Rect, dx: number, dy: number): Rect {
  return { left: left + dx, top: top + dy, right: right + dx, bottom: bottom + dy }
}

/** Creates the views of the children. What lies below or after a repeated node moves with its number of entries. */
function createChildren(node: RecordedNode, place: Place): View[] {
  const pushes: { readonly from: number; readonly axis: 'dx' | 'dy'; readonly by: number }[] = []
  const views = node.children.flatMap((child, index) => {
    const own = { ...place, key: `${place.key}/${index}` }
    for (const { from, axis, by } of pushes) {
      if ((axis === 'dy' ? child.bounds.top : child.bounds.left) >= from) own[axis] += by
    }
    const binding = place.bindings.get(child)
    if (binding?.visible !== undefined && !isTrue(evaluate(binding.visible, buildScope(place.context)))) return []
    if (binding?.each === undefined) return [createRecordedView(child, own)]
    const { entries, axis, offset } = listCopies(child, binding.each, own)
    const { bottom, right } = child.bounds
    pushes.push({ from: axis === 'dy' ? bottom : right, axis, by: (entries.length - 1) * offset })
    return entries.map((entry) => createRecordedView(child, entry))
  })
  const isWhole = views.length === node.children.length && pushes.length === 0
  for (const [index, view] of views.entries()) {
    view.index = Number(isWhole ? (node.children[index]?.attributes['index'] ?? index) : index)
  }
  return views
}

function listCopies(node: RecordedNode, each: NonNullable<TreeBinding['each']>, place: Place) {
  const { left, top, right, bottom } = node.bounds
  const axis = each.direction === 'horizontal' ? 'dx' : 'dy'
  const offset = each.offset ?? (axis === 'dx' ? right - left : bottom - top)
  const entries = listEntries(each, place.context).map((entry, at) => {
    const moved = { ...place, context: entry.context, key: `${place.key}/${entry.key}` }
    moved[axis] += at * offset
    return moved
  })
  return { entries, axis, offset } as const
}

function createRecordedView(node: RecordedNode, place: Place): View {
  const { attributes } = node
  const { context, key } = place
  const binding = place.bindings.get(node)
  const children = createChildren(node, place)
  const className = attributes['class'] ?? 'android.view.View'
  const isOn = (name: string): boolean => attributes[name] === 'true'
  const box = binding?.bounds && evaluateBox(binding.bounds, context)
  const bounds =
    box === undefined ? node.bounds : { left: box.x, top: box.y, right: box.x + box.width, bottom: box.y + box.height }
  const description =
    binding?.description === undefined
      ? (attributes['content-desc'] ?? '')
      : renderTemplate(binding.description, buildScope(context))
  const words = readWords(node, binding, context)
  const view = createView({
    key,
    className,
    fixedClass: true,
    packageName: attributes['package'] ?? context.app.document.package,
    resourceId: attributes['resource-id'] ?? '',
    text: words.text,
    hint: words.hint,
    description,
    children,
    checkable: isOn('checkable'),
    checked: isOn('checked'),
    clickable: isOn('clickable') || binding?.on_tap !== undefined || binding?.bind !== undefined,
    enabled: attributes['enabled'] !== 'false',
    focusable: isOn('focusable'),
    focused: isFocused(context, key) || (isOn('focused') && binding?.bind === undefined),
    kept: place.dx === 0 && place.dy === 0,
    longClickable: isOn('long-clickable') || binding?.on_long_press !== undefined,
    password: isOn('password'),
    selected: isOn('selected'),
    scroll: isOn('scrollable') ? createTreeScroll(className, binding, place) : undefined,
    ...(binding !== undefined && bindState(binding, className, context)),
    style: buildStyle(className, { bounds, description, isLeaf: children.length === 0 }),
    bounds: shift(bounds, place.dx, place.dy),
  })
  applyScroll(view)
  return view
}

function readWords(node: RecordedNode, binding: TreeBinding | undefined, context: AppContext) {
  const scope = buildScope(context)
  const text = node.attributes['text'] ?? ''
  const hint = binding?.hint === undefined ? (node.attributes['hint'] ?? '') : renderTemplate(binding.hint, scope)
  if (binding?.text !== undefined) return { text: renderTemplate(binding.text, scope), hint }
  if (binding?.bind === undefined || !isField(node.attributes['class'] ?? '')) return { text, hint }
  const value = formatValue(evaluate(binding.bind, scope))
  const masked = node.attributes['password'] === 'true' ? '•'.repeat(Array.from(value).length) : value
  return { text: value === '' ? hint : masked, hint }
}

const isField = (className: string): boolean => className.endsWith('EditText')

/** The properties of a view that its binding determines. */
function bindState(binding: TreeBinding, className: string, context: AppContext): Partial<View> {
  const scope = buildScope(context)
  const flag = (name: 'enabled' | 'selected' | 'checked' | 'animated'): Partial<View> =>
    binding[name] === undefined ? {} : { [name]: isTrue(evaluate(binding[name], scope)) }
  const { on_long_press, on_swipe, on_drop } = binding
  return {
    ...bindValue(binding, className, context),
    ...flag('enabled'),
    ...flag('selected'),
    ...flag('checked'),
    ...flag('animated'),
    onLongPress: on_long_press && (() => runActions(context, on_long_press)),
    onSwipe: on_swipe && createSwipeHandlers(on_swipe, context),
    drag:
      binding.drag === undefined
        ? undefined
        : { value: fillValue(binding.drag, scope), hold: binding.drag_hold ?? false },
    onDrop: on_drop && ((dropped) => runActions({ ...context, names: { ...context.names, dropped } }, on_drop)),
  }
}

/** A bound text field is written by typing, another bound node by a tap: it toggles, or chooses its `value`. */
function bindValue(binding: TreeBinding, className: string, context: AppContext): Partial<View> {
  const { bind, on_tap, on_change } = binding
  const runTap = (): void => runActions(context, on_tap ?? [])
  if (bind === undefined) return { onTap: on_tap && runTap }
  const bound = { bind, on_change }
  if (isField(className)) return { onTap: runTap, field: createTreeField(binding, bound, context) }
  const scope = buildScope(context)
  const current = evaluate(bind, scope)
  const value = binding.value === undefined ? !isTrue(current) : fillValue(binding.value, scope)
  const checked = binding.value === undefined ? isTrue(current) : JSON.stringify(current) === JSON.stringify(value)
  const tap = (): void => {
    writeValue(bound, context, value)
    runTap()
  }
  return { checked, onTap: tap }
}

function createTreeField(
  binding: TreeBinding,
  bound: Parameters<typeof writeValue>[0],
  context: AppContext,
): FieldControl {
  return {
    multiline: binding.multiline ?? false,
    keyboard: 'letters',
    read: () => formatValue(evaluate(bound.bind, buildScope(context))),
    write: (text) => writeValue(bound, context, Array.from(text).slice(0, binding.max_length).join('')),
    submit: () => runActions(context, binding.on_submit ?? []),
  }
}

function createTreeScroll(className: string, binding: TreeBinding | undefined, { context, key }: Place) {
  const horizontal = /Horizontal|ViewPager/.test(className)
  const axis = horizontal ? 'horizontal' : 'vertical'
  return createScrollControl(context, { key, axis, onEnd: binding?.on_end, printed: 'always' })
}

/** Moves the children of a view that scrolls. The limit follows from the farthest child. */
function applyScroll({ scroll, bounds, children }: View): void {
  if (scroll === undefined) return
  const vertical = scroll.axis === 'vertical'
  const ends = children.map((child) => (vertical ? child.bounds.bottom : child.bounds.right))
  scroll.limit = Math.max(0, Math.max(0, ...ends) - (vertical ? bounds.bottom : bounds.right))
  scroll.offset = Math.min(toNumber(scroll.offset), scroll.limit)
  if (scroll.offset === 0) return
  for (const child of children) moveView(child, vertical ? 0 : -scroll.offset, vertical ? -scroll.offset : 0)
}

const SHAPES: readonly (readonly [suffix: string, shape: Style['shape']])[] = [
  ['EditText', 'field'],
  ['Switch', 'switch'],
  ['CheckBox', 'checkbox'],
  ['RadioButton', 'radio'],
  ['SeekBar', 'slider'],
  ['ProgressBar', 'progress'],
  ['ImageView', 'image'],
  ['ImageButton', 'image'],
]

interface Look {
  readonly bounds: Rect
  readonly description: string
  readonly isLeaf: boolean
}

function buildStyle(className: string, { bounds, description, isLeaf }: Look): Partial<Style> {
  const shape = isLeaf ? SHAPES.find(([suffix]) => className.endsWith(suffix))?.[1] : undefined
  const size = Math.min(42, Math.max(10, Math.floor((bounds.bottom - bounds.top) * 0.6)))
  const drawn = isLeaf && shape === undefined ? { words: description } : { icon: description }
  return { shape: shape ?? 'plain', size, ...drawn }
}
